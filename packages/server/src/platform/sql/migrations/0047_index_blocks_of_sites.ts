import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A block of sites is a range of the hash of a site's id, or of the id of a device without one, so that the devices of a
 * block are read by this index. The sums of earlier blocks, which were not ranges, are made again.
 */
const statements = [
  "CREATE INDEX devices_by_site_hash ON devices (workspace_id, hashtextextended(coalesce(site_id, id), 0))",
  "DELETE FROM fleet_sums"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
