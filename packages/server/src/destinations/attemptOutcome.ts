import type { SendResult } from "./senders/DestinationSender.ts"
import { PASSED_AFTER, pauseAfter } from "./retrySchedule.ts"

/** What a try makes of its delivery. */
export interface AttemptOutcome {
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
