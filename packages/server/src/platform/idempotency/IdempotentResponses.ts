import { randomUUID } from "node:crypto"
import { ServiceUnavailable, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Cause, Clock, Context, Effect, Exit, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import { batched } from "../batching/batched.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { type HeldTransaction, holdTransaction } from "../sql/holdTransaction.ts"
import { CurrentRequestTransaction, type StoredResponse } from "../sql/RequestTransaction.ts"
import { revealSqlErrors, settleSqlErrors } from "../sql/transaction.ts"
import { ResponsesRepository, type RequestDigests, type FoundResponse } from "./ResponsesRepository.ts"

/** Another run of the same request took over, because this one was suspended for longer than its lease. */
export class ClaimLost extends Error {
  override readonly message = "The claim of an Idempotency-Key was taken over"
}

const isClaimLost = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof ClaimLost)

/** How long a claim lasts after its process has ended. It is renewed while its request runs. */
const LEASE_SECONDS = 6
const RENEWED_EVERY = "2 seconds"
/** How long a repeated request waits for the first one. */
const PATIENCE_MS = 10_000
const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

const otherRequest = invalid({ idempotencyKey: "Was used for another request; each request needs a key of its own" })

const stillRuns = new ServiceUnavailable({
  message: "The first request with this Idempotency-Key is still running; try again"
})

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

export interface Once<A, E, R> {
  readonly asked: RequestDigests
  readonly run: Effect.Effect<A, E, R>
  /** The response to keep; undefined if a repeated request should run again. */
  readonly toStored: (exit: Exit.Exit<A, E>) => Effect.Effect<StoredResponse | undefined>
  readonly replay: (stored: StoredResponse) => A
}

/**
 * Runs a request once, even if it arrives repeatedly and on several instances. The first to claim it runs it; the others wait
 * for its response. The response is committed in the transaction of the changes, so after a crash there are both or neither.
 * A run that lost its claim to another one, because its process was suspended, can't commit any more.
 */
export class IdempotentResponses extends Context.Service<
  IdempotentResponses,
  {
    readonly once: <A, E, R>(
      once: Once<A, E, R>
    ) => Effect.Effect<A, E | ValidationError | ServiceUnavailable | DatabaseUnavailable, R>
  }
>()("@edp/server/IdempotentResponses") {
  static readonly layer = Layer.effect(
    IdempotentResponses,
    Effect.gen(function* () {
      const repository = yield* ResponsesRepository
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      // Only one process uses the embedded database, so no other can be running these requests.
      if (sql.driver === "pglite") yield* repository.releaseAll(LEASE_SECONDS)

      const find = yield* batched(
        (scopes: ReadonlyArray<Uint8Array>) =>
          Effect.map(repository.find(scopes), (rows) => {
            const byScope = new Map(rows.map((row) => [hex(row.scope), row]))
            return (key: Uint8Array): Exit.Exit<FoundResponse | undefined> => Exit.succeed(byScope.get(hex(key)))
          }),
        { maxBatch: 100 }
      )

      const warn = (message: string) => Effect.catchCause((cause) => logFailure(message, message, cause))

      /** Ends the run: commits its changes with its response, or undoes them and releases the scope. */
      const settle = (
        asked: RequestDigests,
        claim: string,
        held: HeldTransaction,
        response: StoredResponse | undefined
      ) =>
        Effect.gen(function* () {
          const wasOpen = yield* held.settle(response)
          if (response !== undefined && !wasOpen) {
            // Nothing was changed in the database, but only this row keeps external effects from being repeated.
            yield* repository
              .store([{ scope: asked.scope, claim, response }])
              .pipe(
                Effect.sandbox,
                Effect.retry({ times: 4, schedule: Schedule.exponential("100 millis") }),
                warn("A response was not kept for its Idempotency-Key")
              )
          }
          if (response === undefined) yield* release(asked, claim)
        }).pipe(Effect.onError(() => release(asked, claim)))

      const release = (asked: RequestDigests, claim: string) =>
        repository.release(asked.scope, claim).pipe(warn("A claim was not released"))

      const renewing = (asked: RequestDigests, claim: string) =>
        repository
          .renew(asked.scope, claim, LEASE_SECONDS)
          .pipe(warn("A claim was not renewed"), Effect.delay(RENEWED_EVERY), Effect.forever, Effect.forkChild)

      const run = <A, E, R>(once: Once<A, E, R>, claim: string) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { asked } = once
            const own = { scope: asked.scope, claim }
            const held = holdTransaction(sql, own, {
              begin: Effect.flatMap(repository.hold([own]), ([holds]) =>
                holds === undefined ? Effect.die(new ClaimLost()) : Effect.void
              ),
              end: (response) => Effect.asVoid(repository.store([{ ...own, response }]))
            })
            const renewal = yield* renewing(asked, claim)
            const changes = Effect.provideService(once.run, CurrentRequestTransaction, held)
            const exit = yield* Effect.exit(restore(settleSqlErrors(revealSqlErrors(changes))))
            yield* Fiber.interrupt(renewal)
            yield* settle(asked, claim, held, yield* once.toStored(exit as Exit.Exit<A, E>))
            return yield* exit as Exit.Exit<A, E>
          })
        )

      const attempt = <A, E, R>(
        once: Once<A, E, R>,
        deadline: number,
        pause: number,
        take: typeof repository.claim
      ): Effect.Effect<A, E | ValidationError | ServiceUnavailable, R> =>
        Effect.gen(function* () {
          const claim = randomUUID()
          const again = follow(once, deadline, pause)
          if (!(yield* take(once.asked, claim, LEASE_SECONDS))) return yield* again
          return yield* Effect.catchCauseIf(run(once, claim), isClaimLost, () => again)
        })

      /** Polls until the first request has a stored response, or has ended without one. */
      const follow = <A, E, R>(
        once: Once<A, E, R>,
        deadline: number,
        pause: number
      ): Effect.Effect<A, E | ValidationError | ServiceUnavailable, R> =>
        Effect.gen(function* () {
          const found = yield* find(once.asked.scope)
          const isLate = (yield* Clock.currentTimeMillis) >= deadline
          if (found !== undefined && !found.expired) {
            if (hex(found.request) !== hex(once.asked.request)) return yield* otherRequest
            if (found.status !== null) return once.replay(found)
          }
          if (isLate) return yield* stillRuns
          const next = Math.min(2 * pause, LONGEST_PAUSE_MS)
          if (found === undefined) return yield* attempt(once, deadline, pause, repository.claim)
          yield* Effect.sleep(pause)
          return yield* found.expired
            ? attempt(once, deadline, next, repository.takeOver)
            : follow(once, deadline, next)
        })

      yield* Effect.repeat(repository.deleteExpired, { while: (more) => more }).pipe(
        warn("Expired responses are still to be deleted"),
        Effect.schedule(Schedule.spaced("1 minute")),
        Effect.forkScoped
      )

      return {
        // A caller that disconnects may retry: the request continues, and its response will be stored.
        once: (once) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            attempt(once, now + PATIENCE_MS, SHORTEST_PAUSE_MS, repository.claim)
          ).pipe(Effect.forkIn(scope), Effect.flatMap(Fiber.join), Effect.withSpan("IdempotentResponses.once"))
      }
    })
  )
}
