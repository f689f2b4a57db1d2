import { type Duration, Effect, type Scope } from "effect"

/**
 * Repeats work for as long as the scope lives, with a pause after each run. A failed run is logged and repeated after the
 * pause, so that no single failure ends background work. For rows of due work there is `makeJobRunner`.
 */
export const every = <R>(
  name: string,
  pause: Duration.Input,
  work: Effect.Effect<unknown, unknown, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`${name} failed; it runs again`, cause)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
