import { Cause, Clock, Context, Effect, Exit, Layer, Metric, Deferred, Fiber } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { issuedAt } from "../../platform/Ids.ts"
import { batched } from "../../platform/batching/batched.ts"
import { ResponsesRepository } from "../../platform/idempotency/ResponsesRepository.ts"
import { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import type { ReadingKey } from "../archive/archiveRows.ts"
import {
  CurrentRequestTransaction,
  type Claim,
  type OpenTransaction,
  type StoredResponse
} from "../../platform/sql/RequestTransaction.ts"
import { holdsTransaction, revealSqlErrors, transactionsOn } from "../../platform/sql/transaction.ts"
import { TelemetryRepository } from "./TelemetryRepository.ts"
import {
  type TakenTimes,
  arrivalTimes,
  untimedSpans,
  joined,
  nothing,
  readingBatch,
  type ReadingBatch,
  refused,
  storedTogether,
  type Responses,
  type Outcome,
  type ResolvedReading,
  type WriteRequest,
  type WriteRequests,
  type Written,
  toWritten
} from "./readingBatch.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { ClaimLost } from "../../platform/idempotency/IdempotentResponses.ts"

/** A request that waits inside a batch's transaction: it gets the outcome of its readings and returns its response. */
interface PendingResponse {
  readonly claim: Claim
  readonly written: Deferred.Deferred<Written, DatabaseUnavailable>
  /** Undefined if no response is to be stored. */
  readonly response: Deferred.Deferred<StoredResponse | undefined>
}

type IdempotentRequest = WriteRequest & { readonly pending: PendingResponse }

const isIdempotent = (request: WriteRequest): request is IdempotentRequest => request.pending !== undefined

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Commits the responses to requests with an `Idempotency-Key` together with their readings. */
const makeResponseCommit = (sql: SqlClient.SqlClient) =>
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
const offer = Effect.fnUntraced(function* (
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

const bothHalves = (before: ReturnType<Responses>, after: ReturnType<Responses>): ReturnType<Responses> => {
  if (Exit.isFailure(before)) return before
  return Exit.isFailure(after) ? after : Exit.succeed(joined(before.value, after.value))
}

/**
 * Bisects a batch that the database refuses, so that one bad reading doesn't fail other requests. Any other failure fails
 * the whole batch.
 */
const isolating = (
  commit: (requests: WriteRequests) => Effect.Effect<Responses, DatabaseUnavailable>,
  answered: (
    request: WriteRequest,
    responses: Effect.Effect<Responses>
  ) => Effect.Effect<Responses, DatabaseUnavailable>
) => {
  const run = (requests: WriteRequests): Effect.Effect<Responses> => {
    const committed = Effect.catch(revealSqlErrors(commit(requests)), (error) => {
      if (!SqlError.isSqlError(error)) return Effect.fail(error)
      const [only] = requests
      return only === undefined || requests.length > 1 ? inHalves(requests) : alone(only, error)
    })
    return Effect.map(Effect.exit(committed), (exit): Responses =>
      Exit.isSuccess(exit) ? exit.value : () => Exit.failCause(exit.cause)
    )
  }

  const inHalves = (requests: WriteRequests) => {
    const first = requests.slice(0, requests.length >> 1)
    return Effect.zipWith(run(first), run(requests.slice(first.length)), (before, after): Responses => {
      const early = new Set(first)
      return (request) => (early.has(request) ? before : after)(request)
    })
  }

  const alone = (request: WriteRequest, error: SqlError.SqlError): Effect.Effect<Responses, DatabaseUnavailable> => {
    const { readings, separable } = request
    if (!separable) return Effect.succeed(() => Exit.die(error))
    if (request.pending !== undefined) {
      const parts = { readings, separable }
      return answered(
        request,
        Effect.map(run([parts]), (responses) => () => responses(parts))
      )
    }
    if (readings.length === 1) {
      return Effect.as(Effect.logError("The database refuses a reading", Cause.die(error)), () => Exit.succeed(refused))
    }
    const before = { readings: readings.slice(0, readings.length >> 1), separable }
    const after = { readings: readings.slice(before.readings.length), separable }
    return Effect.map(inHalves([before, after]), (responses) => () => bothHalves(responses(before), responses(after)))
  }

  return run
}

const settleEach = (
  groups: ReadonlyArray<WriteRequests>,
  settle: (requests: WriteRequests) => Effect.Effect<Responses>
): Effect.Effect<Responses> =>
  Effect.forEach(groups, (requests) =>
    Effect.map(settle(requests), (responses) => requests.map((request) => [request, responses] as const))
  ).pipe(
    Effect.map((settled) => {
      const byRequest = new Map(settled.flat())
      return (request) => byRequest.get(request)!(request)
    })
  )

/** Newer readings are never in the archive, in milliseconds. */
const MAY_BE_ARCHIVED = 7 * 86_400_000

const timesByDevice = (keys: ReadonlyArray<ReadingKey>): TakenTimes =>
  new Map(
    Array.from(
      Map.groupBy(keys, ({ deviceId }) => deviceId),
      ([deviceId, own]) => [deviceId, new Set(own.map(({ at }) => at))]
    )
  )

/** Each attempt looks further ahead: only a device with readings in every millisecond of several seconds needs them all. */
const MOST_ATTEMPTS = 20

const readingsTaken = Metric.counter("edp_readings_total", {
  description:
    "Readings received, by outcome: stored, duplicate, or gone (their device belongs to no workspace any more or has changed)",
  incremental: true
})
const counted = ["stored", "duplicate", "gone"] as const
const byOutcome = new Map<Outcome, typeof readingsTaken>(
  counted.map((outcome) => [outcome, Metric.withAttributes(readingsTaken, { outcome })])
)
const noContext = Context.empty()

const count = (outcomes: ReadonlyArray<Outcome>) => {
  for (const [outcome, metric] of byOutcome) {
    const many =
      outcomes.length === 1 ? Number(outcomes[0] === outcome) : outcomes.filter((one) => one === outcome).length
    if (many > 0) metric.updateUnsafe(many, noContext)
  }
}

const mergeTimes = (one: TakenTimes, other: TakenTimes): TakenTimes =>
  new Map(Array.from(other, ([deviceId, times]) => [deviceId, new Set([...(one.get(deviceId) ?? []), ...times])]))

/**
 * Stores readings in batches. Writes that arrive while a batch is committed form the next batch: they share a statement and
 * a commit, and complete after it. An instance runs one batch at a time, because concurrent batches over the same devices
 * would only wait for each other.
 */
export class TelemetryWriter extends Context.Service<
  TelemetryWriter,
  {
    /**
     * Stores all of the readings or none or, if `separable`, those that can be stored. Must not be used inside a
     * transaction: the readings are committed together with those of other requests.
     */
    readonly write: (
      readings: ReadonlyArray<ResolvedReading>,
      options?: { readonly separable: boolean }
    ) => Effect.Effect<Written, DatabaseUnavailable>
    /** Sets the status that devices' source reports, such as asleep, without new readings. */
    readonly setReportedStatus: (
      deviceIds: ReadonlyArray<string>,
      status: "asleep" | "unreachable" | null
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/TelemetryWriter") {
  static readonly layer = Layer.effect(
    TelemetryWriter,
    Effect.gen(function* () {
      const repository = yield* TelemetryRepository
      const commitResponses = yield* makeResponseCommit(yield* SqlClient.SqlClient)

      const archived = yield* ArchivedReadings
      const clock = yield* Clock.Clock
      const arrivals = arrivalTimes()
      // The counters exist from the start, so that rates can be computed before the first reading.
      for (const metric of byOutcome.values()) metric.updateUnsafe(0, noContext)

      /** Stores all of the readings. If assigned times prove to be taken, nothing was stored, and later times are tried. */
      const store = (
        readings: ReadonlyArray<ResolvedReading>,
        taken: TakenTimes = new Map(),
        attempt = 1
      ): Effect.Effect<(readings: ReadonlyArray<ResolvedReading>) => Written, DatabaseUnavailable> => {
        const settled = arrivals.settle(readings, taken)
        const now = clock.currentTimeMillisUnsafe()
        const put = (batch: ReadingBatch) =>
          Effect.flatMap(repository.write(batch, now), (response) => {
            if (response !== undefined) {
              arrivals.remember(settled, readings)
              return Effect.succeed(toWritten(batch, response))
            }
            if (attempt === MOST_ATTEMPTS)
              return Effect.die(new Error("No free time was found for a reading without a timestamp"))
            const known = repository.takenTimes(untimedSpans(settled))
            return Effect.flatMap(known, (times) => store(readings, mergeTimes(taken, times), attempt + 1))
          })
        const late = settled.filter(({ at }) => at < now - MAY_BE_ARCHIVED)
        if (late.length === 0) return put(readingBatch(settled, issuedAt))
        return Effect.flatMap(archived.known(late), (keys) => put(readingBatch(settled, issuedAt, timesByDevice(keys))))
      }

      const write = (requests: WriteRequests) =>
        Effect.suspend(() => {
          const readings = requests.length === 1 ? requests[0]!.readings : requests.flatMap((each) => each.readings)
          return store(readings).pipe(
            Effect.map((toResponse): Responses => (request) => {
              const written = toResponse(request.readings)
              count(written.outcomes)
              return Exit.succeed(written)
            }),
            Effect.withSpan("TelemetryWriter.commit", {
              attributes: { requests: requests.length, readings: readings.length }
            })
          )
        })

      const commit = (requests: WriteRequests) => {
        if (!requests.some(isIdempotent)) return write(requests)
        const times = requests.flatMap(({ readings }) => readings.map(({ at }) => at))
        return Effect.andThen(repository.prepare(times), commitResponses(requests, write))
      }

      const settle = isolating(commit, (request, responses) => commitResponses([request], () => responses))
      const offered = yield* batched(
        (requests: WriteRequests) => {
          const groups = storedTogether(requests)
          return groups.length === 1 ? settle(requests) : settleEach(groups, settle)
        },
        { maxBatch: repository.maxRows, weight: ({ readings }) => readings.length }
      )

      return {
        setReportedStatus: (deviceIds, status) =>
          deviceIds.length === 0 ? Effect.void : Effect.asVoid(repository.setReportedStatus(deviceIds, status)),
        write: Effect.fnUntraced(function* (readings, { separable } = { separable: false }) {
          if (yield* holdsTransaction) {
            return yield* Effect.die(new Error("Readings are committed in batches, never inside a transaction"))
          }
          if (readings.length === 0) return nothing
          const request = yield* CurrentRequestTransaction
          if (request === undefined) return yield* offered({ readings, separable })
          return yield* Effect.uninterruptibleMask((restore) =>
            Effect.flatMap(offer({ readings, separable }, request.claim, offered), ({ open, written }) => {
              request.adopt(open)
              return restore(written)
            })
          )
        })
      }
    })
  )
}
