import {
  type AlertConfiguration,
  type AlertGroups,
  type AlertRules,
  everyAlert,
  type OfWorkspace,
  type SaveAlertConfiguration
} from "@edp/domain/alerts/AlertConfiguration"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound, type WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { AlertConfigurationsRepository, type SavedRules } from "./AlertConfigurationsRepository.ts"
import { wholeRules } from "./alertRules.ts"

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
      const repository = yield* AlertConfigurationsRepository
      const workspaces = yield* Workspaces
      const audit = yield* AuditTrail
      const sql = yield* SqlClient.SqlClient

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
        readRules: (workspaceId) => Effect.map(repository.get(workspaceId), (saved) => saved?.rules ?? everyAlert)
      }
    })
  )
}
