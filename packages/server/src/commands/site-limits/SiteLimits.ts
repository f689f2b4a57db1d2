import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { TargetedCommand } from "../issuing/CommandTargets.ts"
import { SiteLimitsRepository } from "./SiteLimitsRepository.ts"
import { fitSite } from "./siteRoom.ts"

/** A device whose command would exceed a limit of its site. */
export interface LimitedCommand {
  readonly deviceId: string
  readonly code: "SITE_LIMIT"
}

interface Fitted<C> {
  readonly fit: ReadonlyArray<C>
  readonly skipped: ReadonlyArray<LimitedCommand>
}

/** Commands that are stored already count if they begin within this time, in milliseconds: a dispatch spreads its beginning over an hour. */
const SOON = 3_600_000

/** Keeps the commands of schedules and dispatches within the power limits of sites. */
export class SiteLimits extends Context.Service<
  SiteLimits,
  {
    /**
     * The commands that fit, in the given order; some with a lower `targetPowerW`. For the transaction that issues them: it holds the sites
     * with limits, so that no other one fills the same room.
     */
    readonly fit: <C extends TargetedCommand>(
      commands: ReadonlyArray<C>
    ) => Effect.Effect<Fitted<C>, DatabaseUnavailable>
  }
>()("@edp/server/SiteLimits") {
  static readonly layer = Layer.effect(
    SiteLimits,
    Effect.gen(function* () {
      const repository = yield* SiteLimitsRepository

      const findSites = Effect.fnUntraced(function* (commands: ReadonlyArray<TargetedCommand>) {
        if (commands.length === 0) return []
        const workspaceIds = [...new Set(commands.map(({ workspaceId }) => workspaceId))]
        if (!(yield* repository.isLimited(workspaceIds))) return []
        return yield* repository.hold(commands.map(({ deviceId }) => deviceId))
      })

      return {
        fit: Effect.fn("SiteLimits.fit")(function* <C extends TargetedCommand>(commands: ReadonlyArray<C>) {
          const sites = yield* findSites(commands)
          if (sites.length === 0) return { fit: commands, skipped: [] }
          const now = yield* Clock.currentTimeMillis
          const devices = yield* repository.devices(
            sites.map(({ id }) => id),
            new Date(now + SOON)
          )
          const siteIds = new Map(devices.map(({ id, siteId }) => [id, siteId]))
          const bySite = Map.groupBy(devices, ({ siteId }) => siteId)
          const asked = Map.groupBy(commands, ({ deviceId }) => siteIds.get(deviceId))
          const fitted = new Map(
            sites.flatMap(({ id, ...limits }) => [...fitSite(limits, bySite.get(id) ?? [], asked.get(id) ?? [], now)])
          )
          const results = commands.map((command) => (fitted.has(command) ? fitted.get(command) : command))
          return {
            fit: results.filter((command) => command !== undefined),
            skipped: commands
              .filter((_, index) => results[index] === undefined)
              .map(({ deviceId }) => ({ deviceId, code: "SITE_LIMIT" as const }))
          }
        })
      }
    })
  )
}
