import type { AttemptOutcome } from "./attemptOutcome.ts"
import type { Attempt, Due, LaneOutcome, TakenLane } from "./lanes.ts"
import type { SendResult } from "./senders/DestinationSender.ts"

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
