import { randomUUID } from "node:crypto"
import { ServiceUnavailable, type ValidationError } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { Clock, Context, Effect, Exit, Fiber, Layer, Schedule } from "effect"
import { coalesce } from "../sql/coalesce.ts"
import { AnswersRepository, type Asked, type Found, type StoredAnswer } from "./AnswersRepository.ts"

/** How long a claim outlives the process that made it. It is renewed while its request runs. */
const LEASE_SECONDS = 15
const RENEWED_EVERY = "5 seconds"
const KEPT_SECONDS = 24 * 60 * 60
/** How long a repetition waits for the first request. */
const PATIENCE_MS = 10_000
const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

const otherRequest = invalid({ idempotencyKey: "Was used for another request; each request needs a key of its own" })

const stillRuns = new ServiceUnavailable({
  message: "The first request with this Idempotency-Key still runs; try again"
})

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

export interface Once<A, E, R> {
  readonly asked: Asked
  readonly run: Effect.Effect<A, E, R>
  /** What of an outcome is kept; undefined for one that a repetition shall try again. */
  readonly toStored: (exit: Exit.Exit<A, E>) => Effect.Effect<StoredAnswer | undefined>
  readonly replay: (stored: StoredAnswer) => A
}

/**
 * Runs a request once, on whatever instance it arrives how often. The first to claim it runs it; the others wait for its
 * answer. What is certain is one run while no instance dies: one that dies between the commit and the answer leaves a
 * claim that expires, and then the request runs again.
 */
export class IdempotentAnswers extends Context.Service<
  IdempotentAnswers,
  {
    readonly once: <A, E, R>(once: Once<A, E, R>) => Effect.Effect<A, E | ValidationError | ServiceUnavailable, R>
  }
>()("@edp/server/IdempotentAnswers") {
  static readonly layer = Layer.effect(
    IdempotentAnswers,
    Effect.gen(function* () {
      const repository = yield* AnswersRepository
      const scope = yield* Effect.scope

      const find = yield* coalesce(
        (scopes: ReadonlyArray<Uint8Array>) =>
          Effect.map(repository.find(scopes), (rows) => {
            const byScope = new Map(rows.map((row) => [hex(row.scope), row]))
            return (key: Uint8Array): Exit.Exit<Found | undefined> => Exit.succeed(byScope.get(hex(key)))
          }),
        { maxBatch: 100 }
      )

      const settle = <A, E, R>({ asked, toStored }: Once<A, E, R>, claim: string, exit: Exit.Exit<A, E>) =>
        Effect.flatMap(toStored(exit), (answer) =>
          answer === undefined
            ? repository.release(asked.scope, claim)
            : repository.store(asked.scope, claim, answer, KEPT_SECONDS)
        ).pipe(Effect.catchCause((cause) => Effect.logWarning("An answer was not kept for its Idempotency-Key", cause)))

      const first = <A, E, R>(once: Once<A, E, R>, claim: string) =>
        Effect.gen(function* () {
          const renewal = yield* repository.renew(once.asked.scope, claim, LEASE_SECONDS).pipe(
            Effect.catchCause((cause) => Effect.logWarning("A claim was not renewed", cause)),
            Effect.delay(RENEWED_EVERY),
            Effect.forever,
            Effect.forkChild
          )
          return yield* once.run.pipe(
            Effect.onExit((exit) => Effect.andThen(settle(once, claim, exit), Fiber.interrupt(renewal)))
          )
        })

      const attempt = <A, E, R>(
        once: Once<A, E, R>,
        deadline: number,
        pause: number
      ): Effect.Effect<A, E | ValidationError | ServiceUnavailable, R> =>
        Effect.gen(function* () {
          const claim = randomUUID()
          if (yield* repository.claim(once.asked, claim, LEASE_SECONDS)) return yield* first(once, claim)
          return yield* follow(once, deadline, pause)
        })

      /** Looks until the first request is answered, or gone without an answer that is kept. */
      const follow = <A, E, R>(
        once: Once<A, E, R>,
        deadline: number,
        pause: number
      ): Effect.Effect<A, E | ValidationError | ServiceUnavailable, R> =>
        Effect.gen(function* () {
          const found = yield* find(once.asked.scope)
          if (found === undefined) return yield* attempt(once, deadline, pause)
          if (hex(found.request) !== hex(once.asked.request)) return yield* otherRequest
          if (found.status !== null) return once.replay(found)
          if ((yield* Clock.currentTimeMillis) >= deadline) return yield* stillRuns
          yield* Effect.sleep(pause)
          return yield* follow(once, deadline, Math.min(2 * pause, LONGEST_PAUSE_MS))
        })

      yield* Effect.repeat(repository.deleteExpired, { while: (more) => more }).pipe(
        Effect.catchCause((cause) => Effect.logWarning("Expired answers are still to be deleted", cause)),
        Effect.schedule(Schedule.spaced("1 minute")),
        Effect.forkScoped
      )

      return {
        // A caller who goes away is one who asks again: the request goes on, and its answer will be there.
        once: (once) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => attempt(once, now + PATIENCE_MS, SHORTEST_PAUSE_MS)).pipe(
            Effect.forkIn(scope),
            Effect.flatMap(Fiber.join),
            Effect.withSpan("IdempotentAnswers.once")
          )
      }
    })
  )
}
