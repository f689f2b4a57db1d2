import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type RowClaim, leasedRows } from "../platform/jobs/leasedRows.ts"
import { queryRows } from "../platform/sql/rows.ts"
import { query } from "../platform/sql/transaction.ts"
import { pausedWorkspaces } from "../workspaces/workspaceTable.ts"
import { publicationLimits } from "./publicationLimits.ts"
import { publicationColumns, PublicationRow } from "./publicationRow.ts"

/** The work on publications: when a connection is due, and who holds it. */
export const PublicationWorkRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(publicationColumns)
  const isAwake = sql`workspace_id NOT IN (${pausedWorkspaces(sql)})`
  const { leaseSeconds } = publicationLimits
  const leases = leasedRows(sql, { table: "home_assistant_publications", id: "id", leaseSeconds, isAwake })

  return {
    leases,
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM home_assistant_publications WHERE id = ANY(${ids}::text[])`),
    /** The publication while its claim is held and its workspace is not paused. */
    held: ({ claim, id }: RowClaim) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM home_assistant_publications
        WHERE id = ${id} AND claim = ${claim}::uuid AND ${isAwake}`).pipe(
        Effect.map(([row]) => row),
        // Looked at all the time: not worth a trace.
        Effect.withTracerEnabled(false)
      ),
    /** Records a connection with the devices that it has published. */
    connected: (
      { claim, id }: RowClaim,
      {
        connectedAt,
        devices,
        fromHomeAssistant,
        leftOut
      }: {
        readonly connectedAt: Date
        readonly devices: number
        readonly leftOut: number
        readonly fromHomeAssistant: number
      }
    ) =>
      query(sql`UPDATE home_assistant_publications SET connected_at = ${connectedAt}, failure = NULL,
          failing_since = NULL, failures = 0, devices = ${devices}, devices_left_out = ${leftOut},
          devices_from_home_assistant = ${fromHomeAssistant}
        WHERE id = ${id} AND claim = ${claim}::uuid`),
    /** Records a failed attempt of settings that have not changed meanwhile, and ends its lease. */
    failed: ({ claim, id }: RowClaim, version: number, failure: string, at: Date, pauseMs: number) =>
      query(sql`UPDATE home_assistant_publications SET claim = NULL,
          failure = CASE WHEN version = ${version} THEN ${failure} ELSE failure END,
          failing_since = CASE WHEN version = ${version} THEN coalesce(failing_since, ${at}) ELSE failing_since END,
          failures = CASE WHEN version = ${version} THEN least(failures + 1, 30) ELSE failures END,
          due_at = CASE WHEN version = ${version} THEN ${leases.later(pauseMs)} ELSE clock_timestamp() END
        WHERE id = ${id} AND claim = ${claim}::uuid`)
  }
})
