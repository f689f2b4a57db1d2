import { Clock, Data, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { batched } from "../../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../../platform/sql/transaction.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { inHalves } from "../../platform/batching/inHalves.ts"
import {
  type KeyLease,
  keyName,
  type ReleasedKey,
  OrderingKeysRepository,
  type DueDelivery
} from "./OrderingKeysRepository.ts"
import { type RetrySchedule, retryPause } from "../../platform/jobs/retryPause.ts"
import type { SendResult } from "../senders/DestinationSender.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** About 28 hours in all. */
export const retrySchedule: RetrySchedule = {
  pauses: [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  jitter: 0.1,
  longestAsked: 24 * HOUR
}

/** An attempt and what it makes of its delivery, as it is stored. */
export interface Attempt {
  readonly deliveryId: string
  readonly destinationId: string
  readonly attemptedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseBody: string | null
  readonly status: "succeeded" | "pending" | "failed"
  readonly failures: number
  readonly nextAt: string | null
  /** The ordering key of the delivery from now on. */
  readonly orderingKey: string
  readonly sequence: number
}

interface AttemptOutcome {
  readonly status: "succeeded" | "pending" | "failed"
  readonly failures: number
  /** When to retry, in milliseconds since 1970; undefined when the delivery is finished. */
  readonly nextAt: number | undefined
  /** Whether later deliveries of the subject no longer wait for this one. */
  readonly overtaken: boolean
}

/**
 * The state of a delivery after an attempt.
 *
 * @param failures How often it had failed before.
 * @param random From 0 to 1, for the pause.
 */
export const attemptOutcome = (result: SendResult, failures: number, now: number, random: number): AttemptOutcome => {
  if (result.succeeded) return { status: "succeeded", failures, nextAt: undefined, overtaken: true }
  const failed = failures + 1
  const pause = result.permanent ? undefined : retryPause(retrySchedule, failed, random, result.retryAfter)
  return pause === undefined
    ? { status: "failed", failures: failed, nextAt: undefined, overtaken: true }
    : {
        status: "pending",
        failures: failed,
        nextAt: now + pause,
        overtaken: failed >= deliveryLimits.overtakenAfterFailures
      }
}

/** The attempt for an event that is no longer kept. */
export const expiredAttempt = (due: DueDelivery, now: number): Attempt => ({
  deliveryId: due.id,
  destinationId: due.destinationId,
  attemptedAt: new Date(now).toISOString(),
  durationMs: 0,
  statusCode: null,
  error: "The event is older than events are kept",
  responseBody: null,
  status: "failed",
  failures: due.failures,
  nextAt: null,
  orderingKey: due.orderingKey,
  sequence: due.sequence
})

export const toAttempt = (
  due: DueDelivery,
  result: SendResult,
  outcome: AttemptOutcome,
  begun: number,
  ended: number
): Attempt => ({
  deliveryId: due.id,
  destinationId: due.destinationId,
  attemptedAt: new Date(begun).toISOString(),
  durationMs: Math.max(0, Math.round(ended - begun)),
  statusCode: result.statusCode,
  error: result.error === null ? null : result.error.slice(0, 500),
  responseBody: result.response,
  status: outcome.status,
  failures: outcome.failures,
  nextAt: outcome.nextAt === undefined ? null : new Date(outcome.nextAt).toISOString(),
  orderingKey: outcome.overtaken && outcome.status === "pending" ? due.id : due.orderingKey,
  sequence: due.sequence
})

export const OutcomesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /**
     * Stores attempts and what becomes of their deliveries; one that is finished stays finished. A delivery that was overtaken
     * gets its own ordering key. Planned each time: a plan made while there were few deliveries would read them all.
     */
    record: (attempts: ReadonlyArray<Attempt>) =>
      query(
        sql`WITH given AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) AS given ("deliveryId" text,
            "destinationId" text, "attemptedAt" timestamptz, "durationMs" integer, "statusCode" integer, error text,
            "responseBody" text, status text, failures integer, "nextAt" timestamptz, "orderingKey" text, sequence bigint)
        ), there AS MATERIALIZED (
          SELECT given.*, deliveries.status = 'pending' AS open FROM given CROSS JOIN LATERAL (
            SELECT status FROM deliveries WHERE id = given."deliveryId" FOR NO KEY UPDATE) AS deliveries
        ), changed AS (
          UPDATE deliveries d SET status = there.status, failures = there.failures, next_attempt_at = there."nextAt",
            lane = there."orderingKey", completed_at = CASE WHEN there.status = 'pending' THEN NULL
              ELSE there."attemptedAt" + there."durationMs" * interval '1 millisecond' END
          FROM there WHERE d.id = there."deliveryId" AND there.open
        ), overtaken AS (
          INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
          SELECT "destinationId", "orderingKey", "nextAt", sequence FROM there
          WHERE "orderingKey" = "deliveryId" AND status = 'pending' AND open
          ON CONFLICT (destination_id, lane) DO UPDATE SET due_at = excluded.due_at
        )
        INSERT INTO delivery_attempts (delivery_id, attempted_at, status_code, duration_ms, error, response_body)
        SELECT "deliveryId", "attemptedAt", "statusCode", "durationMs", error, "responseBody" FROM there
        ON CONFLICT DO NOTHING`.unprepared
      ),
    /**
     * Stores changes in the health of destinations. After the third failure in a row a destination is paused for 1 s, then for
     * 2 s, 4 s and so on, up to 5 minutes.
     */
    noteHealth: (succeeded: ReadonlyMap<string, boolean>, now: Date) => {
      const healths = [...succeeded].map(([destinationId, succeeded]) => ({ destinationId, succeeded }))
      return query(sql`WITH given AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(healths)}::jsonb)
            AS given ("destinationId" text, succeeded boolean)
        ), queues AS (
          UPDATE delivery_queues q SET
            failures = CASE WHEN succeeded THEN 0 ELSE q.failures + 1 END,
            not_before = CASE WHEN succeeded OR q.failures < 2 THEN '-infinity'
              ELSE clock_timestamp() + least(300, 2 ^ least(q.failures - 2, 9)) * interval '1 second' END
          FROM given WHERE q.destination_id = given."destinationId" AND (NOT succeeded OR q.failures > 0)
            AND q.not_before <> 'infinity'
        )
        UPDATE destinations d SET failing_since = CASE WHEN succeeded THEN NULL ELSE ${now}::timestamptz END
        FROM given WHERE d.id = given."destinationId" AND succeeded = (d.failing_since IS NOT NULL)`)
    },
    /** Deactivates destinations; with `failingSince`, only those whose every attempt has failed since then. */
    deactivate: (destinationIds: ReadonlyArray<string>, reason: string, now: Date, failingSince?: Date) =>
      query(sql`WITH stopped AS (
          UPDATE destinations SET deactivated_at = ${now}, deactivated_reason = ${reason}, updated_at = ${now}
          WHERE id = ANY(${destinationIds}::text[]) AND deactivated_at IS NULL
            ${failingSince === undefined ? sql`` : sql`AND failing_since <= ${failingSince}`}
          RETURNING id
        )
        UPDATE delivery_queues SET not_before = 'infinity' FROM stopped WHERE destination_id = stopped.id`),
    /** Makes everything that waits for a destination due now, and ends its pause. */
    resume: (destinationId: string) =>
      query(sql`WITH queue AS (
          UPDATE delivery_queues SET failures = 0, not_before = '-infinity' WHERE destination_id = ${destinationId}
        ), lanes AS (
          UPDATE delivery_lanes SET due_at = now()
          WHERE destination_id = ${destinationId} AND due_at > now() AND claim IS NULL
        )
        UPDATE destinations SET failing_since = NULL WHERE id = ${destinationId}`)
  }
})

/** The results for one ordering key. */
export interface Report {
  readonly attempts: ReadonlyArray<Attempt>
  readonly released: ReleasedKey
  /** Whether the last attempt succeeded; undefined where none was made. */
  readonly succeeded: boolean | undefined
  /** Whether the receiver answered 410 Gone. */
  readonly gone: boolean
}

/** Reports whose claims are lost, so that nothing of the set was stored. */
class LostClaims extends Data.TaggedError("LostClaims")<{ readonly reports: ReadonlyArray<Report> }> {}

type Stored = "lost" | { readonly due: boolean }

const isSame = (one: KeyLease, other: KeyLease) => one.claim === other.claim && keyName(one) === keyName(other)

/** Stores outcomes in sets: while one set is being stored, the next one gathers. */
export const DeliveryRecorder = Effect.gen(function* () {
  const keys = yield* OrderingKeysRepository
  const outcomes = yield* OutcomesRepository
  const sql = yield* SqlClient.SqlClient

  const store = (reports: ReadonlyArray<Report>) =>
    Effect.gen(function* () {
      const now = new Date(yield* Clock.currentTimeMillis)
      const attempts = reports.flatMap((report) => report.attempts)
      if (attempts.length > 0) yield* outcomes.record(attempts)
      const healths = new Map<string, boolean>()
      for (const { released, succeeded } of reports) {
        if (succeeded !== undefined) healths.set(released.destinationId, succeeded)
      }
      const failing = [...healths].flatMap(([id, succeeded]) => (succeeded ? [] : [id]))
      if (healths.size > 0) yield* outcomes.noteHealth(healths, now)
      if (failing.length > 0) {
        const since = new Date(now.getTime() - deliveryLimits.failingSeconds * 1000)
        yield* outcomes.deactivate(failing, "Every delivery has failed for 5 days", now, since)
      }
      const gone = reports.filter((report) => report.gone).map(({ released }) => released.destinationId)
      if (gone.length > 0) yield* outcomes.deactivate(gone, "The receiver answered 410 Gone", now)
      // Deliveries are locked before ordering keys, so a lost claim is only known at the end.
      const held = yield* keys.release(reports.map(({ released }) => released))
      const lost = reports.filter(({ released }) => !held.some((one) => isSame(one, released)))
      if (lost.length > 0) return yield* new LostClaims({ reports: lost })
      return held
    }).pipe(transactionsOn(sql))

  const storeHeld = (
    reports: ReadonlyArray<Report>
  ): Effect.Effect<(report: Report) => Exit.Exit<Stored>, DatabaseUnavailable> =>
    store(reports).pipe(
      Effect.map((held) => ({ released }: Report) => {
        return Exit.succeed<Stored>(held.find((one) => isSame(one, released))!)
      }),
      Effect.catchTag("LostClaims", ({ reports: lost }) => {
        const rest = reports.filter((report) => !lost.includes(report))
        const toStored = rest.length === 0 ? Effect.succeed(() => Exit.succeed("lost" as const)) : storeHeld(rest)
        return Effect.map(toStored, (of) => (report: Report): Exit.Exit<Stored> => {
          return lost.includes(report) ? Exit.succeed("lost") : of(report)
        })
      })
    )

  const stored = yield* batched(inHalves(storeHeld), { maxBatch: deliveryLimits.recordedTogether })
  return {
    /**
     * Stores attempts and releases their ordering key. True if it is due again at once. Under a lost claim nothing is stored, and the work on
     * the key ends: another process has it.
     */
    record: (report: Report) =>
      Effect.flatMap(stored(report), (one) => (one === "lost" ? Effect.interrupt : Effect.succeed(one.due)))
  }
})
