import { Context, Effect, Layer } from "effect"
import type { TargetedCommand } from "./CommandTargets.ts"

/** A device whose command would exceed a limit of its site. */
export interface LimitedCommand {
  readonly deviceId: string
  readonly code: "SITE_LIMIT"
}

interface Fitted<C> {
  readonly fit: ReadonlyArray<C>
  readonly skipped: ReadonlyArray<LimitedCommand>
}

/** Keeps the commands of schedules and dispatches within the power limits of sites. */
export class SiteLimits extends Context.Service<
  SiteLimits,
  {
    /** The commands that fit, in the given order. For a transaction that issues them. */
    readonly fit: <C extends TargetedCommand>(commands: ReadonlyArray<C>) => Effect.Effect<Fitted<C>>
  }
>()("@edp/server/SiteLimits") {
  static readonly layer = Layer.succeed(SiteLimits, {
    fit: (commands) => Effect.succeed({ fit: commands, skipped: [] })
  })
}
