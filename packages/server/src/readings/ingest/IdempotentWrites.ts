import { Deferred, Effect, Exit, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { ResponsesRepository } from "../../platform/idempotency/ResponsesRepository.ts"
import { ClaimLost } from "../../platform/idempotency/IdempotentResponses.ts"
import { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { Claim, OpenTransaction, StoredResponse } from "../../platform/sql/RequestTransaction.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { Responses, WriteRequest, WriteRequests, Written } from "./readingBatch.ts"

/** A request that waits inside a batch's transaction: it gets the outcome of its readings and returns its response. */
export interface PendingResponse {
  readonly claim: Claim
  readonly written: Deferred.Deferred<Written, DatabaseUnavailable>
  /** Undefined if no response is to be stored. */
  readonly response: Deferred.Deferred<StoredResponse | undefined>
}

export type IdempotentRequest = WriteRequest & { readonly pending: PendingResponse }

export const isIdempotent = (request: WriteRequest): request is IdempotentRequest => request.pending !== undefined

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Commits the responses to requests with an `Idempotency-Key` together with their readings. */
export const makeResponseCommit = (sql: SqlClient.SqlClient) =>
  Effect.map(ResponsesRepository, (repository) => {
    const transaction = transactionsOn(sql)

    const store = Effect.fnUntraced(function* (requests: ReadonlyArray<IdempotentRequest>, responses: Responses) {
      for (const request of requests) yield* Deferred.done(request.pending.written, responses(request))
      // No request runs another statement: after the write it only formats its response.
      const given = yield* Effect.forEach(requests, ({ pending: { claim, response } }) =>
        Effect.map(Deferred.await(response), (response) => (response === undefined ? [] : [{ ...claim, response }]))
      )
      const kept = given.flat()
      if (kept.length > 0) yield* repository.store(kept)
    })

    /** Returns the requests that have lost their claims, if any; then nothing was stored. */
    const commit = <E>(requests: ReadonlyArray<IdempotentRequest>, work: Effect.Effect<Responses, E>) =>
      Effect.gen(function* () {
        const held = new Set((yield* repository.hold(requests.map(({ pending }) => pending.claim))).map(hex))
        const lost = requests.filter(({ pending }) => !held.has(hex(pending.claim.scope)))
        if (lost.length > 0) return { lost }
        const responses = yield* work
        // The requests have their outcomes, so the batch can't be split any more.
        yield* Effect.catchCause(store(requests, responses), (cause) =>
          Effect.andThen(
            logFailure("responses to pushes", "The responses to pushes could not be stored", cause),
            Effect.fail(new DatabaseUnavailable())
          )
        )
        return { responses }
      }).pipe(transaction)

    const committing = <E>(
      requests: WriteRequests,
      work: (requests: WriteRequests) => Effect.Effect<Responses, E>
    ): Effect.Effect<Responses, E | DatabaseUnavailable> => {
      const pending = requests.filter(isIdempotent)
      if (pending.length === 0) return requests.length === 0 ? Effect.succeed(() => lostClaim) : work(requests)
      return Effect.flatMap(commit(pending, work(requests)), ({ responses, lost }) => {
        if (responses !== undefined) return Effect.succeed(responses)
        const gone = new Set<WriteRequest>(lost)
        return Effect.map(
          committing(
            requests.filter((request) => !gone.has(request)),
            work
          ),
          (rest) => (request: WriteRequest) => (gone.has(request) ? lostClaim : rest(request))
        )
      })
    }
    return committing
  })

const lostClaim: Exit.Exit<never> = Exit.die(new ClaimLost())

/** Adds a request to a batch. `written` completes once its readings are written; the transaction waits for its response. */
export const offer = Effect.fnUntraced(function* (
  request: Omit<WriteRequest, "pending">,
  claim: Claim,
  write: (request: WriteRequest) => Effect.Effect<Written, DatabaseUnavailable>
) {
  const written = yield* Deferred.make<Written, DatabaseUnavailable>()
  const response = yield* Deferred.make<StoredResponse | undefined>()
  const fiber = yield* Effect.forkDetach(write({ ...request, pending: { claim, written, response } }))
  const open: OpenTransaction = {
    commit: (stored) => Effect.andThen(Deferred.succeed(response, stored), Effect.asVoid(Fiber.join(fiber))),
    // The readings of the other requests are committed nevertheless.
    rollback: Effect.andThen(Deferred.succeed(response, undefined), Effect.asVoid(Effect.exit(Fiber.join(fiber))))
  }
  return { open, written: Effect.raceFirst(Deferred.await(written), Fiber.join(fiber)) }
})
