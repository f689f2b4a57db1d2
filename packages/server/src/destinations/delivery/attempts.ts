import type { Attempt, Due, LaneOutcome, TakenLane } from "./orderingKeys.ts"
import type { SendResult } from "../senders/DestinationSender.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after the first, second, … failure, in milliseconds: about 28 hours in all. */
const pauses = [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** After so many failures a delivery no longer holds up the later ones of its subject. */
const PASSED_AFTER = 4

/** A pause is drawn from so much of it on either side, so that what failed together does not come back together. */
const JITTER = 0.1

/** No receiver may ask for a longer pause. */
const LONGEST_ASKED = 24 * HOUR

/**
 * How long to wait after a failure, in milliseconds; undefined when it was the last try.
 *
 * @param failures How often it has failed, from 1.
 * @param random From 0 to 1.
 * @param askedMs What the receiver asked for by Retry-After; a shorter pause than the schedule's changes nothing.
 */
export const pauseAfter = (failures: number, random: number, askedMs: number | undefined): number | undefined => {
  const pause = pauses[failures - 1]
  if (pause === undefined) return undefined
  const drawn = pause * (1 + JITTER * (2 * random - 1))
  return Math.round(Math.max(drawn, Math.min(askedMs ?? 0, LONGEST_ASKED)))
}

/** What a Retry-After header asks for, in milliseconds from now: seconds or a date of HTTP; undefined when it is neither. */
export const askedPause = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/u.test(text)) return Number(text) * SECOND
  const date = /^[A-Z][a-z]{2},? /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** What a try makes of its delivery. */
interface AttemptOutcome {
  readonly status: "succeeded" | "pending" | "failed"
  readonly failures: number
  /** When to try again, in milliseconds since 1970; undefined when it is over. */
  readonly nextAt: number | undefined
  /** Whether later events of its subject need not wait for it any more. */
  readonly passed: boolean
}

/**
 * What becomes of a delivery after a try.
 *
 * @param failures How often it had failed before.
 * @param random From 0 to 1, for the pause.
 */
export const attemptOutcome = (result: SendResult, failures: number, now: number, random: number): AttemptOutcome => {
  if (result.succeeded) return { status: "succeeded", failures, nextAt: undefined, passed: true }
  const failed = failures + 1
  const pause = result.permanent ? undefined : pauseAfter(failed, random, result.retryAfter)
  return pause === undefined
    ? { status: "failed", failures: failed, nextAt: undefined, passed: true }
    : { status: "pending", failures: failed, nextAt: now + pause, passed: failed >= PASSED_AFTER }
}

/** An event that is no longer kept. */
export const untoldRow = (due: Due, now: number): Attempt => ({
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
  lane: due.lane,
  sequence: due.sequence
})

/** A try as it is stored. */
export const attemptRow = (
  due: Due,
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
  responseBody: result.answer,
  status: outcome.status,
  failures: outcome.failures,
  nextAt: outcome.nextAt === undefined ? null : new Date(outcome.nextAt).toISOString(),
  lane: outcome.passed && outcome.status === "pending" ? due.id : due.lane,
  sequence: due.sequence
})

/**
 * How a lane is let go of.
 *
 * @param isEmpty Whether everything that it held when it was taken is done, was passed or given up.
 * @param waitsUntil When its first delivery may be tried again, in milliseconds since 1970, if that one waits.
 */
export const laneOutcome = (
  claim: string,
  { destinationId, lane, newest }: TakenLane,
  isEmpty: boolean,
  waitsUntil: number | undefined
): LaneOutcome => ({
  destinationId,
  lane,
  claim,
  done: newest,
  isEmpty,
  dueAt: waitsUntil === undefined ? null : new Date(waitsUntil)
})
