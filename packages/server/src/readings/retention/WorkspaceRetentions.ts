import { isDeepStrictEqual } from "node:util"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { type ValidationError, type WorkspaceNotFound, invalid } from "@edp/domain/errors/ApiErrors"
import type { ReadingRetention, SaveReadingRetention } from "@edp/domain/telemetry/ReadingRetentionApi"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../../audit/AuditTrail.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { Workspaces } from "../../workspaces/Workspaces.ts"
import { KeptReadings } from "./KeptReadings.ts"
import { RemovalPreview } from "./RemovalPreview.ts"
import { type Settings, WorkspaceFloorsRepository } from "./WorkspaceFloorsRepository.ts"

type Caller = CurrentKey["Service"]

const knownTypes = new Set<string>(deviceTypes)

/** The settings as the API and the audit log show them. */
const shown = ({ days, deviceTypes: types }: Settings) => ({ retentionDays: days, retentionDaysByType: types })

/** For how long workspaces keep readings, where that is shorter than the retention of the installation. */
export class WorkspaceRetentions extends Context.Service<
  WorkspaceRetentions,
  {
    readonly get: (
      caller: Caller,
      workspaceId: string
    ) => Effect.Effect<ReadingRetention, WorkspaceNotFound | DatabaseUnavailable>
    readonly save: (
      caller: Caller,
      workspaceId: string,
      input: SaveReadingRetention
    ) => Effect.Effect<ReadingRetention, ValidationError | WorkspaceNotFound | DatabaseUnavailable>
  }
>()("@edp/server/WorkspaceRetentions") {
  static readonly layer = Layer.effect(
    WorkspaceRetentions,
    Effect.gen(function* () {
      const { telemetryRetentionDays } = yield* ServerConfig
      const workspaces = yield* Workspaces
      const floors = yield* WorkspaceFloorsRepository
      const preview = yield* RemovalPreview
      const kept = yield* KeptReadings
      const audit = yield* AuditTrail
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const describe = Effect.fnUntraced(function* (workspaceId: string, settings: Settings) {
        const removed = yield* floors.removed(workspaceId)
        const removedBefore = Object.fromEntries(removed.map(({ deviceType, keptFrom }) => [deviceType, keptFrom]))
        return { id: workspaceId, ...shown(settings), removedBefore, removals: null }
      })

      const check = ({ days, deviceTypes: types }: Settings) => {
        const most = Option.getOrElse(telemetryRetentionDays, () => Infinity)
        const tooLong = `Must be at most the ${most} days of EDP_TELEMETRY_RETENTION`
        const details: Record<string, string> = days !== null && days > most ? { retentionDays: tooLong } : {}
        for (const [type, each] of Object.entries(types)) {
          if (!knownTypes.has(type)) details[`retentionDaysByType.${type}`] = `Must be one of ${deviceTypes.join(", ")}`
          else if (each > most) details[`retentionDaysByType.${type}`] = tooLong
        }
        return Object.keys(details).length > 0 ? Effect.fail(invalid(details)) : Effect.void
      }

      const store = (workspaceId: string, settings: Settings) =>
        Effect.gen(function* () {
          const before = yield* floors.settings(workspaceId)
          if (isDeepStrictEqual(before, settings)) return
          yield* floors.saveSettings(workspaceId, settings)
          yield* audit.record({
            action: "workspace.update",
            resourceId: workspaceId,
            workspaceId,
            before: shown(before),
            after: shown(settings)
          })
        }).pipe(transaction)

      return {
        get: Effect.fn("WorkspaceRetentions.get")(function* (caller, workspaceId) {
          yield* workspaces.get(caller, workspaceId)
          return yield* describe(workspaceId, yield* floors.settings(workspaceId))
        }),
        save: Effect.fn("WorkspaceRetentions.save")(function* (caller, workspaceId, input) {
          yield* workspaces.get(caller, workspaceId)
          const settings: Settings = { days: input.retentionDays ?? null, deviceTypes: input.retentionDaysByType ?? {} }
          yield* check(settings)
          if (input.dryRun === true) {
            const removals = yield* preview.count(workspaceId, settings)
            return { ...(yield* describe(workspaceId, settings)), removals }
          }
          yield* store(workspaceId, settings)
          yield* kept.refresh
          return yield* describe(workspaceId, settings)
        })
      }
    })
  )
}
