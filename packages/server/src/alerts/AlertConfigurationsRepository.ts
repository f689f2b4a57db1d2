import { ALERT_GROUPS_LIMIT, AlertGroup, AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import { decodeRows } from "../platform/sql/rows.ts"
import { query } from "../platform/sql/transaction.ts"
import { selectList } from "../platform/sql/selectList.ts"

const Row = Schema.Struct({ rules: AlertRules, savedAt: Schema.Date, savedBy: Schema.String })
export type SavedRules = typeof Row.Type

const GroupsRow = Schema.Struct({ ...AlertGroup.fields, total: Schema.Finite })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(Row))
  const rows = decodeRows(Row)
  const first = Effect.map(([saved]: ReadonlyArray<SavedRules>) => saved)

  return {
    requireWorkspace: workspaceTable(sql).requireWorkspace,
    /** Read with every list, so that a change applies from the next request on every instance. */
    get: (workspaceId: string) =>
      query(sql`SELECT ${columns} FROM alert_configurations WHERE workspace_id = ${workspaceId}`).pipe(rows, first),
    /** The present alerts by the values that rules compare, the largest groups first, each row with the total of all. */
    groups: (workspaceId: string) =>
      query(
        decodeRows(GroupsRow)(sql`SELECT severity, type, subtype,
            source_system AS "sourceSystem", count(*)::int AS count, (sum(count(*)) OVER ())::int AS total
          FROM alerts WHERE workspace_id = ${workspaceId} AND status IN ('OPEN', 'ACKNOWLEDGED')
          GROUP BY severity, type, subtype, source_system
          ORDER BY count DESC, severity, type, subtype, source_system LIMIT ${ALERT_GROUPS_LIMIT}`)
      ),
    save: (workspaceId: string, { rules, savedAt, savedBy }: SavedRules) =>
      query(sql`INSERT INTO alert_configurations (workspace_id, rules, saved_at, saved_by)
        VALUES (${workspaceId}, ${JSON.stringify(rules)}::jsonb, ${savedAt}, ${savedBy})
        ON CONFLICT (workspace_id) DO UPDATE SET rules = excluded.rules, saved_at = excluded.saved_at,
          saved_by = excluded.saved_by`),
    clear: (workspaceId: string) =>
      query(sql`DELETE FROM alert_configurations WHERE workspace_id = ${workspaceId} RETURNING ${columns}`).pipe(
        rows,
        first
      )
  }
})

export class AlertConfigurationsRepository extends Context.Service<
  AlertConfigurationsRepository,
  Effect.Success<typeof make>
>()("@edp/server/AlertConfigurationsRepository") {
  static readonly layer = Layer.effect(AlertConfigurationsRepository, make)
}
