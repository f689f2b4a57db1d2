import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Cause, Effect, Option, Result } from "effect"

/**
 * The database does not respond, or not in time. At the HTTP boundary it is SERVICE_UNAVAILABLE like any other. Background work
 * distinguishes it, because it concerns no item of the work.
 */
export class DatabaseUnavailable extends ServiceUnavailable {
  readonly service = "database"

  constructor(message = "The database is not available; try again") {
    super({ message })
  }

  static readonly is = (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable
}

/**
 * Lets it pass through the code of an adapter, which knows no database and would take a failure for one of the manufacturer. It passes as a
 * defect, which `revealUnavailable` turns into the failure again.
 */
export const hideUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, DatabaseUnavailable>, R> =>
  Effect.catch(effect, (error) =>
    DatabaseUnavailable.is(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, DatabaseUnavailable>)
  )

export const revealUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | DatabaseUnavailable> => {
    const found = cause.reasons.filter(Cause.isDieReason).find(({ defect }) => DatabaseUnavailable.is(defect))
    return found === undefined ? Effect.failCause(cause) : Effect.fail(found.defect as DatabaseUnavailable)
  })

/** Like `Effect.result`, except that an unavailable database stays a failure. */
export const resultUnlessUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Result.Result<A, Exclude<E, DatabaseUnavailable>>, Extract<E, DatabaseUnavailable>, R> =>
  effect.pipe(
    Effect.map((value): Result.Result<A, Exclude<E, DatabaseUnavailable>> => Result.succeed(value)),
    Effect.catch((error) =>
      DatabaseUnavailable.is(error)
        ? Effect.fail(error as Extract<E, DatabaseUnavailable>)
        : Effect.succeed(Result.fail(error as Exclude<E, DatabaseUnavailable>))
    )
  )

/** Handles every failure, defects and interruptions included, except an unavailable database, which stays a failure. */
export const catchAllButUnavailable =
  <E, B, E2, R2>(handle: (cause: Cause.Cause<E>) => Effect.Effect<B, E2, R2>) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E2 | Extract<E, DatabaseUnavailable>, R | R2> =>
    Effect.catchCause(effect, (cause): Effect.Effect<B, E2 | Extract<E, DatabaseUnavailable>, R2> => {
      const error = Option.filter(Cause.findErrorOption(cause), DatabaseUnavailable.is)
      return Option.isSome(error) ? Effect.fail(error.value as Extract<E, DatabaseUnavailable>) : handle(cause)
    })
