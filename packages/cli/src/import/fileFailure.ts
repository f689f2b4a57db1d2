import { Effect } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { CliFailure } from "../CliFailure.ts"

/** Says which file could not be used, and why. */
export const fileFailure =
  (code: string, path: string) =>
  <A, R>(effect: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, CliFailure, R> =>
    Effect.mapError(
      effect,
      ({ reason }) => new CliFailure({ code, message: `${path}: ${reason.description ?? reason._tag}` })
    )
