import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { CommandIssuer } from "../issuing/CommandIssuer.ts"
import { CommandWaitsRepository } from "./CommandWaitsRepository.ts"

/** Limits the waits of commands and forced modes that were stored while a clock was ahead. */
export class CommandWaits extends Context.Service<
  CommandWaits,
  { readonly limit: Effect.Effect<void, DatabaseUnavailable> }
>()("@edp/server/CommandWaits") {
  static readonly layer = Layer.effect(
    CommandWaits,
    Effect.gen(function* () {
      const { limitCommands, limitLeases, limitModes } = yield* CommandWaitsRepository
      const { wake } = yield* CommandIssuer
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const all = <E>(statement: Effect.Effect<boolean, E>) => Effect.repeat(statement, { while: (more) => more })
      return {
        limit: Effect.gen(function* () {
          yield* all(Effect.flatMap(now, limitCommands))
          yield* all(Effect.flatMap(now, limitModes))
          yield* all(limitLeases)
          yield* wake
        }).pipe(Effect.withSpan("CommandWaits.limit"))
      }
    })
  )
}
