import {
  type AlertConfiguration,
  type AlertGroups,
  AlertRules,
  everyAlert,
  type OfWorkspace,
  type SaveAlertConfiguration,
  ALERT_GROUPS_LIMIT,
  AlertGroup
} from "@edp/domain/alerts/AlertConfiguration"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound, type WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { wholeRules } from "./alertRules.ts"
import { batchedLookup } from "../platform/batching/batched.ts"
import { anyOf } from "../platform/sql/lists.ts"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import { decodeRows, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

const Row = Schema.Struct({ rules: AlertRules, savedAt: Schema.Date, savedBy: Schema.String })
export type SavedRules = typeof Row.Type

const RulesRow = Schema.Struct({ workspaceId: Schema.String, rules: AlertRules })
const GroupsRow = Schema.Struct({ ...AlertGroup.fields, total: Schema.Finite })

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(Row))
  const rows = decodeRows(Row)
  const first = Effect.map(([saved]: ReadonlyArray<SavedRules>) => saved)

  return {
    requireWorkspace: workspaceTable(sql).requireWorkspace,
    /** Read with every list, so that a change applies from the next request on every instance. */
    get: (workspaceId: string) =>
      query(sql`SELECT ${columns} FROM alert_configurations WHERE workspace_id = ${workspaceId}`).pipe(rows, first),
    /** The saved rules of some workspaces, by workspace. */
    rules: (workspaceIds: ReadonlyArray<string>) =>
      queryRows(RulesRow)(sql`SELECT workspace_id AS "workspaceId", rules FROM alert_configurations
        WHERE workspace_id = ${anyOf(sql, workspaceIds)}`).pipe(
        Effect.map((found) => new Map(found.map(({ workspaceId, rules }) => [workspaceId, rules])))
      ),
    /** The present alerts by the values that rules compare, the largest groups first, each row with the total of all. */
    groups: (workspaceId: string) =>
      queryRows(GroupsRow)(sql`SELECT severity, type, subtype,
            source_system AS "sourceSystem", count(*)::int AS count, (sum(count(*)) OVER ())::int AS total
          FROM alerts WHERE workspace_id = ${workspaceId} AND status IN ('OPEN', 'ACKNOWLEDGED')
          GROUP BY severity, type, subtype, source_system
          ORDER BY count DESC, severity, type, subtype, source_system LIMIT ${ALERT_GROUPS_LIMIT}`),
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

type Caller = CurrentKey["Service"]
type Of = Schema.Struct.Type<typeof OfWorkspace>

const respond = (workspaceId: string, saved: SavedRules | undefined): AlertConfiguration => ({
  workspaceId,
  ...(saved?.rules ?? everyAlert),
  savedAt: saved?.savedAt.toISOString() ?? null,
  savedBy: saved?.savedBy ?? null
})

/** The rules that decide which alerts a workspace lists. */
export class AlertConfigurations extends Context.Service<
  AlertConfigurations,
  {
    readonly get: (caller: Caller, of: Of) => Effect.Effect<AlertConfiguration, WorkspaceNotFound | DatabaseUnavailable>
    /** The present alerts, hidden ones included, by the values that rules compare. */
    readonly groups: (caller: Caller, of: Of) => Effect.Effect<AlertGroups, WorkspaceNotFound | DatabaseUnavailable>
    readonly save: (
      caller: Caller,
      of: Of,
      input: SaveAlertConfiguration
    ) => Effect.Effect<AlertConfiguration, WorkspaceNotFound | DatabaseUnavailable>
    readonly clear: (caller: Caller, of: Of) => Effect.Effect<void, WorkspaceNotFound | NotFound | DatabaseUnavailable>
    /** The rules that an alert must pass to be listed. */
    readonly readRules: (workspaceId: string) => Effect.Effect<AlertRules, DatabaseUnavailable>
  }
>()("@edp/server/AlertConfigurations") {
  static readonly layer = Layer.effect(
    AlertConfigurations,
    Effect.gen(function* () {
      const repository = yield* statements
      const workspaces = yield* Workspaces
      const audit = yield* AuditTrail
      const sql = yield* SqlClient.SqlClient

      /** Concurrent lists share a statement. */
      const findRules = yield* batchedLookup(
        (ids: ReadonlyArray<string>) => repository.rules([...new Set(ids)]),
        (id) => id
      )

      /** The lock on the workspace serializes changes, and prevents one while the workspace is deleted. */
      const change = <A, E>(caller: Caller, of: Of, apply: (workspaceId: string) => Effect.Effect<A, E>) => {
        const workspaceId = of.workspaceId ?? caller.workspaceId
        return repository
          .requireWorkspace(caller.organizationId, workspaceId)
          .pipe(Effect.andThen(apply(workspaceId)), transactionsOn(sql))
      }

      /** The rules only: the record itself has the actor and the time. */
      const record = (action: WriteAction, workspaceId: string, before?: SavedRules, after?: SavedRules) =>
        audit.record({ action, resourceId: workspaceId, workspaceId, before: before?.rules, after: after?.rules })

      return {
        get: Effect.fn("AlertConfigurations.get")(function* (caller, { workspaceId = caller.workspaceId }) {
          if (workspaceId !== caller.workspaceId) yield* workspaces.get(caller, workspaceId)
          return respond(workspaceId, yield* repository.get(workspaceId))
        }),
        groups: Effect.fn("AlertConfigurations.groups")(function* (caller, { workspaceId = caller.workspaceId }) {
          if (workspaceId !== caller.workspaceId) yield* workspaces.get(caller, workspaceId)
          const rows = yield* repository.groups(workspaceId)
          const groups = rows.map(({ count, severity, sourceSystem, subtype, type }) => ({
            severity,
            type,
            subtype,
            sourceSystem,
            count
          }))
          return { groups, total: rows[0]?.total ?? 0 }
        }),
        save: Effect.fn("AlertConfigurations.save")(function* (caller, of, input) {
          const savedAt = new Date(yield* Clock.currentTimeMillis)
          const saved = { rules: wholeRules(input), savedAt, savedBy: caller.ownerId ?? caller.id }
          return yield* change(caller, of, (workspaceId) =>
            Effect.gen(function* () {
              const before = yield* repository.get(workspaceId)
              yield* repository.save(workspaceId, saved)
              yield* record("alert-configuration.save", workspaceId, before, saved)
              return respond(workspaceId, saved)
            })
          )
        }),
        clear: Effect.fn("AlertConfigurations.clear")((caller, of) =>
          change(caller, of, (workspaceId) =>
            Effect.gen(function* () {
              const cleared = yield* repository.clear(workspaceId)
              if (cleared === undefined) return yield* new NotFound({ message: "No alert configuration is saved" })
              yield* record("alert-configuration.clear", workspaceId, cleared)
            })
          )
        ),
        readRules: (workspaceId) => Effect.map(findRules(workspaceId), (rules) => rules ?? everyAlert)
      }
    })
  )
}
