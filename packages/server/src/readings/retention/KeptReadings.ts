import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { KeptReadings as Description } from "@edp/domain/telemetry/KeptReadingsApi"
import { Context, Effect, Layer, Option } from "effect"
import { every } from "../../platform/jobs/every.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { RetentionRepository } from "./RetentionRepository.ts"

/** Another instance may have dropped readings; it waits longer than this before it drops their table. */
const REFRESH = "1 minute"

const timestamp = (at: Date | null) => at?.toISOString() ?? null

export interface KeptTimes {
  readonly retentionDays: number | undefined
  /** Older readings are already dropped, regardless of the current setting: milliseconds since 1970. */
  readonly droppedBefore: number
}

/** The times from which readings are kept. */
export class KeptReadings extends Context.Service<
  KeptReadings,
  {
    /** As this instance last read them, at most a minute ago. */
    readonly times: () => KeptTimes
    /** Those of the devices of a type in a workspace that has a retention of its own. */
    readonly timesIn: (workspaceId: string, deviceType: string) => KeptTimes | undefined
    /** Reads again what has been dropped. */
    readonly refresh: Effect.Effect<void, DatabaseUnavailable>
    /** For the caller's organization. */
    readonly describe: (caller: CurrentKey["Service"]) => Effect.Effect<Description, DatabaseUnavailable>
  }
>()("@edp/server/KeptReadings") {
  static readonly layer = Layer.effect(
    KeptReadings,
    Effect.gen(function* () {
      const retentionDays = Option.getOrUndefined((yield* ServerConfig).telemetryRetentionDays)
      const repository = yield* RetentionRepository
      let times: KeptTimes
      let ofScopes: ReadonlyMap<string, KeptTimes>
      const refresh = Effect.gen(function* () {
        times = { retentionDays, droppedBefore: yield* repository.keptFrom }
        ofScopes = new Map(
          (yield* repository.scopeTimes).map(({ workspaceId, deviceType, days, droppedBefore }) => [
            `${workspaceId} ${deviceType}`,
            { retentionDays: days ?? undefined, droppedBefore }
          ])
        )
      })
      yield* refresh
      yield* every("The refresh of the time from which readings are kept", REFRESH, refresh)
      const describe = Effect.fnUntraced(function* ({ organizationId }: CurrentKey["Service"]) {
        const droppedBefore = yield* repository.keptFrom
        return {
          retentionDays: retentionDays ?? null,
          droppedBefore: timestamp(droppedBefore === 0 ? null : new Date(droppedBefore)),
          oldestAt: timestamp(yield* repository.oldest(organizationId))
        }
      })

      return {
        refresh,
        times: () => times,
        timesIn: (workspaceId, deviceType) =>
          ofScopes.size === 0 ? undefined : ofScopes.get(`${workspaceId} ${deviceType}`),
        describe: Effect.fn("KeptReadings.describe")(describe)
      }
    })
  )
}
