import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { departedDeviceTable } from "../../devices/departedDeviceTable.ts"
import { deviceStateTable } from "../../devices/deviceStateTable.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { eventTable } from "../../platform/outbox/EventPartitions.ts"
import { query } from "../../platform/sql/transaction.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

/** The work, as its failing devices are stored under. */
export const HISTORIES = "deletion of histories"

/** On the embedded database a statement stops the whole process while it runs, and elsewhere it holds locks. */
const MAX_DELETED = 10_000

const AssociatedRow = Schema.Struct({ associated: Schema.Boolean })
const AtRow = Schema.Struct({ at: Schema.Date })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const departed = departedDeviceTable(sql)
  const events = eventTable(sql)
  const states = deviceStateTable(sql)

  return {
    /** Removed devices whose history is still to be deleted. */
    pending: query(departed.forgotten(isReady(sql, HISTORIES, "forgotten_histories.device_id"))).pipe(
      Effect.map((rows) => rows.map(({ deviceId }) => deviceId))
    ),
    /** Locks the device, so that no readings are stored meanwhile; returns whether it belongs to a workspace. */
    lock: (deviceId: string) =>
      query(
        decodeRows(AssociatedRow)(sql`
        SELECT workspace_id IS NOT NULL AS associated FROM devices WHERE id = ${deviceId} FOR UPDATE`)
      ).pipe(Effect.map(([row]) => row?.associated === true)),
    /**
     * Deletes the oldest readings, as many as one statement may, and returns whether there may be more. Events that refer
     * to them keep their states.
     */
    deleteReadings: Effect.fnUntraced(function* (deviceId: string) {
      const [last] = yield* query(
        decodeRows(AtRow)(
          sql`SELECT at FROM readings WHERE device_id = ${deviceId}
          ORDER BY at LIMIT 1 OFFSET ${MAX_DELETED - 1}`.unprepared
        )
      )
      const oldest = sql`device_id = ${deviceId} ${last === undefined ? sql`` : sql`AND at <= ${last.at}`}`
      yield* query(
        events.keepStates(
          deviceId,
          sql`SELECT device_id, at, id, state FROM readings WHERE ${oldest}`,
          departed.hasDepartedSince({
            workspaceId: "events.workspace_id",
            deviceId: "events.device_id",
            sequence: "events.sequence"
          })
        ).unprepared
      )
      yield* query(sql`DELETE FROM readings WHERE ${oldest}`.unprepared)
      return last !== undefined
    }),
    /** Deletes the readings that were kept for rollups. */
    deleteKept: (deviceId: string) =>
      query(sql`WITH silent AS (DELETE FROM archive_kept WHERE device_id = ${deviceId})
        DELETE FROM kept_readings WHERE device_id = ${deviceId}`),
    /** A batch of readings that was running when the device was removed may have created it again. */
    deleteState: (deviceId: string) =>
      query(sql`WITH counts AS (DELETE FROM reading_counts WHERE device_id = ${deviceId})
        ${states.remove(deviceId)}`),
    /** Lets the archive delete the device's readings, too, unless nothing was ever archived. Nobody reads them there from now on. */
    deleteArchived: (deviceId: string) =>
      query(sql`INSERT INTO archive_deletions (device_id, workspace_id)
        SELECT ${deviceId}, (${departed.workspaceOfForgotten(deviceId)})
        WHERE EXISTS (SELECT FROM archive_border) OR EXISTS (SELECT FROM archive_moves) ON CONFLICT DO NOTHING`),
    settle: (deviceId: string) => query(departed.settleHistory(deviceId))
  }
})

export class HistoryDeletionRepository extends Context.Service<
  HistoryDeletionRepository,
  Effect.Success<typeof make>
>()("@edp/server/HistoryDeletionRepository") {
  static readonly layer = Layer.effect(HistoryDeletionRepository, make)
}
