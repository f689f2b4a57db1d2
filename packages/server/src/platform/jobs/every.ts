import { Duration, Effect, Latch, type Scope } from "effect"
import { logFailure } from "../logs/repeatedFailures.ts"
import { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { pauseAfter } from "./pauseAfter.ts"
import { type AnnouncedWork, makeWorkWait } from "./workWait.ts"

/** Repeats work for as long as the scope lives. A failed run is repeated, after pauses that grow with each failure. */
const repeat = <R, S>(
  name: string,
  pause: Duration.Input,
  work: Effect.Effect<unknown, unknown, R>,
  wait: Effect.Effect<unknown, unknown, S>
): Effect.Effect<void, never, R | S | Scope.Scope> =>
  Effect.suspend(() => {
    const usual = Duration.toMillis(Duration.fromInputUnsafe(pause))
    let failures = 0
    const run = Effect.andThen(work, () => {
      failures = 0
      return wait
    })
    const pauseFor = (reason?: "unavailable") =>
      Effect.suspend(() => Effect.sleep(pauseAfter(++failures, usual, reason)))
    return run.pipe(
      // An unavailable database is logged where statements are run.
      Effect.catchIf(DatabaseUnavailable.is, () => pauseFor("unavailable")),
      Effect.catchCause((cause) =>
        Effect.andThen(logFailure(name, `${name} failed; it runs again`, cause), pauseFor())
      ),
      Effect.forever,
      Effect.forkScoped,
      Effect.asVoid
    )
  })

/** Repeats work with a pause after each run, so that no single failure ends background work. */
export const every = <R>(
  name: string,
  pause: Duration.Input,
  work: Effect.Effect<unknown, unknown, R>
): Effect.Effect<void, never, R | Scope.Scope> => repeat(name, pause, work, Effect.sleep(pause))

/**
 * Runs work that the database announces, or that is due at a known time: at once when it is announced, with at least a pause between two
 * runs. For rows that are leased there is `makeJobRunner`.
 */
export const whenDue = <R>(
  name: string,
  announced: AnnouncedWork<R>,
  work: Effect.Effect<unknown, unknown, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const arrived = yield* Latch.make()
    const wait = yield* makeWorkWait(announced, arrived)
    const shortest = Duration.toMillis(Duration.fromInputUnsafe(announced.pause))
    yield* repeat(
      name,
      announced.pause,
      Effect.andThen(arrived.close, work),
      Effect.andThen(Effect.sleep(shortest), wait(shortest))
    )
  })
