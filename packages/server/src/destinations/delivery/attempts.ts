import { type RetrySchedule, retryPause } from "../../platform/jobs/retryPause.ts"
import type { SendResult } from "../senders/DestinationSender.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import type { DueDelivery } from "./orderingKeys.ts"

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
