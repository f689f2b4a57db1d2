import { Cause, Context, Effect, Exit, Layer, Metric } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { issuedAt } from "../../platform/Ids.ts"
import { batched } from "../../platform/batching/batched.ts"
import { AnswersRepository } from "../../platform/idempotency/AnswersRepository.ts"
import { CurrentRequestTransaction } from "../../platform/sql/RequestTransaction.ts"
import { holdsTransaction } from "../../platform/sql/transaction.ts"
import { isAnswering, makeAnswering, offer } from "./Answering.ts"
import { TelemetryRepository } from "./TelemetryRepository.ts"
import { type TakenTimes, arrivalTimes, untimedSpans } from "./arrivalTimes.ts"
import {
  joined,
  nothing,
  readingBatch,
  refused,
  type Answers,
  type Outcome,
  type ResolvedReading,
  type WriteRequest,
  type WriteRequests,
  type Written,
  writtenOf
} from "./readingBatch.ts"

const bothHalves = (before: Exit.Exit<Written>, after: Exit.Exit<Written>) => {
  if (Exit.isFailure(before)) return before
  return Exit.isFailure(after) ? after : Exit.succeed(joined(before.value, after.value))
}

/**
 * A commit that looks, by halves, for what the database refuses, so that one bad reading takes no other request down.
 * Any other failure is the whole batch's.
 */
const isolating = (
  commit: (requests: WriteRequests) => Effect.Effect<Answers>,
  isRefusal: (cause: Cause.Cause<never>) => boolean,
  answered: (request: WriteRequest, answers: Effect.Effect<Answers>) => Effect.Effect<Answers>
) => {
  const run = (requests: WriteRequests): Effect.Effect<Answers> =>
    Effect.catchCause(commit(requests), (cause) => {
      if (!isRefusal(cause)) return Effect.succeed(() => Exit.failCause(cause))
      const [only] = requests
      return only === undefined || requests.length > 1 ? inHalves(requests) : alone(only, cause)
    })

  const inHalves = (requests: WriteRequests) => {
    const first = requests.slice(0, requests.length >> 1)
    return Effect.zipWith(run(first), run(requests.slice(first.length)), (before, after): Answers => {
      const early = new Set(first)
      return (request) => (early.has(request) ? before : after)(request)
    })
  }

  const alone = (request: WriteRequest, cause: Cause.Cause<never>): Effect.Effect<Answers> => {
    const { readings, separable } = request
    if (!separable) return Effect.succeed(() => Exit.failCause(cause))
    if (request.answering !== undefined) {
      const parts = { readings, separable }
      return answered(
        request,
        Effect.map(run([parts]), (answers) => () => answers(parts))
      )
    }
    if (readings.length === 1) {
      return Effect.as(Effect.logError("The database refuses a reading", cause), () => Exit.succeed(refused))
    }
    const before = { readings: readings.slice(0, readings.length >> 1), separable }
    const after = { readings: readings.slice(before.readings.length), separable }
    return Effect.map(inHalves([before, after]), (answers) => () => bothHalves(answers(before), answers(after)))
  }

  return run
}

/** The database is well and does not take the data. */
const isRefusal = (cause: Cause.Cause<never>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect))

/** Each looks further, so only a device with a reading in every millisecond of several seconds ahead needs them all. */
const MOST_ATTEMPTS = 20

const readingsTaken = Metric.counter("edp_readings_total", {
  description: "Readings that were offered, by outcome: stored, duplicate, or gone, of a device without a workspace",
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

const bothOf = (one: TakenTimes, other: TakenTimes): TakenTimes =>
  new Map(Array.from(other, ([deviceId, times]) => [deviceId, new Set([...(one.get(deviceId) ?? []), ...times])]))

/**
 * The one way in for readings. Writes that come while a batch is being committed make up the next batch: they share a
 * statement and a commit, and each is answered after it. There is one lane an instance, because concurrent batches over
 * the same devices would only wait for one another.
 */
export class TelemetryWriter extends Context.Service<
  TelemetryWriter,
  {
    /**
     * Stores the readings, all or none; where they are `separable`, whatever of them can be stored. Not for use inside
     * a transaction: the readings are committed together with those of others.
     */
    readonly write: (
      readings: ReadonlyArray<ResolvedReading>,
      options?: { readonly separable: boolean }
    ) => Effect.Effect<Written>
  }
>()("@edp/server/TelemetryWriter") {
  static readonly layer = Layer.effect(
    TelemetryWriter,
    Effect.gen(function* () {
      const repository = yield* TelemetryRepository
      const answering = yield* makeAnswering(yield* SqlClient.SqlClient)

      const arrivals = arrivalTimes()
      // Rates are asked for before the first reading comes.
      for (const metric of byOutcome.values()) metric.updateUnsafe(0, noContext)

      /** Stores all of the readings at once. Where times of arrival prove to be taken, nothing was stored, and others are tried. */
      const store = (
        readings: ReadonlyArray<ResolvedReading>,
        taken: TakenTimes = new Map(),
        attempt = 1
      ): Effect.Effect<(readings: ReadonlyArray<ResolvedReading>) => Written> => {
        const settled = arrivals.settle(readings, taken)
        const batch = readingBatch(settled, issuedAt)
        return Effect.flatMap(repository.write(batch), (answer) => {
          if (answer !== undefined) {
            arrivals.remember(settled, readings)
            return Effect.succeed(writtenOf(batch, answer))
          }
          if (attempt === MOST_ATTEMPTS)
            return Effect.die(new Error("No time is free for a reading without a timestamp"))
          const known = repository.takenTimes(untimedSpans(settled))
          return Effect.flatMap(known, (times) => store(readings, bothOf(taken, times), attempt + 1))
        })
      }

      const write = (requests: WriteRequests) =>
        Effect.suspend(() => {
          const readings = requests.length === 1 ? requests[0]!.readings : requests.flatMap((each) => each.readings)
          return store(readings).pipe(
            Effect.map((tell): Answers => (request) => {
              const written = tell(request.readings)
              count(written.outcomes)
              return Exit.succeed(written)
            }),
            Effect.withSpan("TelemetryWriter.commit", {
              attributes: { requests: requests.length, readings: readings.length }
            })
          )
        })

      const commit = (requests: WriteRequests) => {
        if (!requests.some(isAnswering)) return write(requests)
        const times = requests.flatMap(({ readings }) => readings.map(({ at }) => at))
        return Effect.andThen(repository.prepare(times), answering(requests, write))
      }

      const offered = yield* batched(
        isolating(commit, isRefusal, (request, answers) => answering([request], () => answers)),
        { maxBatch: repository.maxRows, weight: ({ readings }) => readings.length }
      )

      return {
        write: Effect.fnUntraced(function* (readings, { separable } = { separable: false }) {
          if (yield* holdsTransaction) {
            return yield* Effect.die(new Error("Readings are committed with others, never inside a transaction"))
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
  ).pipe(Layer.provide(AnswersRepository.layer))
}
