import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The next time at which the runner looks at the device; null once the dispatch has nothing more to do with it.
  `ALTER TABLE dispatch_devices ADD COLUMN due_at timestamptz`,
  // The result of the command that was issued last: completed or failed; null while it is open, and before there was one.
  `ALTER TABLE dispatch_devices ADD COLUMN outcome text COLLATE "C"`,
  // The index of the interval whose command the device can't take.
  `ALTER TABLE dispatch_devices ADD COLUMN skipped_index smallint`,
  // Attempts to give the device its settings back.
  `ALTER TABLE dispatch_devices ADD COLUMN attempts smallint NOT NULL DEFAULT 0`,
  `DROP INDEX dispatch_devices_open`,
  // The dispatches that share a device.
  `CREATE INDEX dispatch_devices_live ON dispatch_devices (device_id, dispatch_id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX dispatch_devices_due ON dispatch_devices (due_at) WHERE due_at IS NOT NULL`,
  // Devices whose command has no result yet, or may get a late one.
  `CREATE INDEX dispatch_devices_unsettled ON dispatch_devices (dispatch_id, device_id)
    WHERE phase = 'commanded' AND (outcome IS NULL OR code = 'timeout')`,
  `CREATE INDEX dispatches_running ON dispatches (id) WHERE status = 'running'`,
  `CREATE INDEX dispatch_sites_by_enrollment ON dispatch_sites (enrollment_id, dispatch_id)`,
  // Enrollments that end while a dispatch runs.
  `CREATE INDEX enrollments_unenrolled ON enrollments (program_instance_id, unenrolled_at)
    WHERE unenrolled_at IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
