import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Deferred, Effect, Exit, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { AnswersRepository } from "../../platform/idempotency/AnswersRepository.ts"
import { ClaimLost } from "../../platform/idempotency/ClaimLost.ts"
import type { Claim, OpenTransaction, StoredAnswer } from "../../platform/sql/RequestTransaction.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { Answers, WriteRequest, WriteRequests, Written } from "./readingBatch.ts"

/** A request that waits inside a batch's transaction: it is told what became of its readings, and gives its answer. */
export interface Answering {
  readonly claim: Claim
  readonly written: Deferred.Deferred<Written>
  /** Undefined where the request has no answer to be kept. */
  readonly answer: Deferred.Deferred<StoredAnswer | undefined>
}

export type AnsweringRequest = WriteRequest & { readonly answering: Answering }

export const isAnswering = (request: WriteRequest): request is AnsweringRequest => request.answering !== undefined

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const unavailable = new ServiceUnavailable({ message: "The database is not available; try again" })

/** Commits the answers of requests together with their readings. */
export const makeAnswering = (sql: SqlClient.SqlClient) =>
  Effect.map(AnswersRepository, (repository) => {
    const transaction = transactionsOn(sql)

    const store = Effect.fnUntraced(function* (requests: ReadonlyArray<AnsweringRequest>, answers: Answers) {
      for (const request of requests) yield* Deferred.done(request.answering.written, answers(request))
      // Each of them comes without another statement: what follows a write only puts its outcome into words.
      const given = yield* Effect.forEach(requests, ({ answering: { claim, answer } }) =>
        Effect.map(Deferred.await(answer), (answer) => (answer === undefined ? [] : [{ ...claim, answer }]))
      )
      const kept = given.flat()
      if (kept.length > 0) yield* repository.store(kept)
    })

    /** Answers which requests have lost their claims, if any have; nothing was done then. */
    const commit = (requests: ReadonlyArray<AnsweringRequest>, work: Effect.Effect<Answers>) =>
      Effect.gen(function* () {
        const held = new Set((yield* repository.hold(requests.map(({ answering }) => answering.claim))).map(hex))
        const lost = requests.filter(({ answering }) => !held.has(hex(answering.claim.scope)))
        if (lost.length > 0) return { lost }
        const answers = yield* work
        // The requests know their outcome now, so the batch can't be divided any more.
        yield* Effect.catchCause(store(requests, answers), (cause) =>
          Effect.andThen(Effect.logWarning("The answers of pushes could not be stored", cause), Effect.die(unavailable))
        )
        return { answers }
      }).pipe(transaction)

    const committing = (
      requests: WriteRequests,
      work: (requests: WriteRequests) => Effect.Effect<Answers>
    ): Effect.Effect<Answers> => {
      const answering = requests.filter(isAnswering)
      if (answering.length === 0) return requests.length === 0 ? Effect.succeed(() => lostClaim) : work(requests)
      return Effect.flatMap(commit(answering, work(requests)), ({ answers, lost }) => {
        if (answers !== undefined) return Effect.succeed(answers)
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

/** Offers a request to a batch. Answers as soon as it is written, while its transaction waits for the request's answer. */
export const offer = Effect.fnUntraced(function* (
  request: Omit<WriteRequest, "answering">,
  claim: Claim,
  write: (request: WriteRequest) => Effect.Effect<Written>
) {
  const written = yield* Deferred.make<Written>()
  const answer = yield* Deferred.make<StoredAnswer | undefined>()
  const fiber = yield* Effect.forkDetach(write({ ...request, answering: { claim, written, answer } }))
  const open: OpenTransaction = {
    commit: (stored) => Effect.andThen(Deferred.succeed(answer, stored), Effect.asVoid(Fiber.join(fiber))),
    // The readings of the others in the batch are committed all the same.
    rollback: Effect.andThen(Deferred.succeed(answer, undefined), Effect.asVoid(Effect.exit(Fiber.join(fiber))))
  }
  return { open, written: Effect.raceFirst(Deferred.await(written), Fiber.join(fiber)) }
})
