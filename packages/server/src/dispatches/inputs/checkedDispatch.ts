import {
  type Baseline,
  type CreateDispatch,
  type DispatchInterval,
  dispatchedTypes
} from "@edp/domain/dispatches/Dispatch"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { Details } from "@edp/domain/errors/validator"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect } from "effect"
import { actionProblems } from "./modeInputs.ts"

const DAY = 86_400_000
/** A request takes a moment, and clocks differ. */
const GRACE = 60_000
const LONGEST = 7 * DAY
const HORIZON = 366 * DAY

export const intervalStart = ({ startsAt }: DispatchInterval) => Date.parse(startsAt)

export const intervalEnd = (interval: DispatchInterval) => intervalStart(interval) + interval.durationSeconds * 1000

/** The dispatch begins with its first interval and ends with its last. */
export const intervalTimes = (intervals: ReadonlyArray<DispatchInterval>) => ({
  startsAt: new Date(intervalStart(intervals[0]!)),
  endsAt: new Date(intervalEnd(intervals.at(-1)!))
})

const timeProblems = (intervals: ReadonlyArray<DispatchInterval>): Details => {
  const details: Details = {}
  const start = intervalStart(intervals[0]!)
  for (const [index, interval] of intervals.entries()) {
    const before = intervals[index - 1]
    if (before !== undefined && intervalStart(interval) < intervalEnd(before)) {
      details[`intervals.${index}.startsAt`] = `Must not be before the end of intervals.${index - 1}`
    } else if (intervalEnd(interval) > start + LONGEST) {
      details[`intervals.${index}.durationSeconds`] = "Must end within 7 days of the first interval's start"
    }
  }
  return details
}

/** Why a dispatch can't be announced at a time. */
const startProblems = (start: number, now: number): Details => {
  if (start < now - GRACE) return { "intervals.0.startsAt": "Must not be in the past" }
  return start > now + HORIZON ? { "intervals.0.startsAt": "Must be at most 366 days ahead" } : {}
}

/** Checks that a dispatch can still begin. */
export const requireAhead = (startsAt: Date, now: number): Effect.Effect<void, ValidationError> => {
  const details = startProblems(startsAt.getTime(), now)
  return Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))
}

/** Checks the intervals of a request and their actions, all at once. Their times become ISO 8601 in UTC. */
export const checkedIntervals = (
  given: CreateDispatch["intervals"],
  now: number
): Effect.Effect<ReadonlyArray<DispatchInterval>, ValidationError> => {
  const intervals = given.map((interval) => ({
    ...interval,
    startsAt: new Date(parseTimestamp(interval.startsAt)!).toISOString()
  }))
  // Field names come from the caller, so the record has no prototype.
  const details: Details = Object.assign(Object.create(null), timeProblems(intervals))
  Object.assign(details, startProblems(intervalStart(intervals[0]!), now))
  for (const [index, { actions }] of intervals.entries()) {
    for (const type of dispatchedTypes) {
      const action = actions[type]
      if (action !== undefined)
        Object.assign(details, actionProblems(type, action, `intervals.${index}.actions.${type}`))
    }
  }
  return Object.keys(details).length === 0 ? Effect.succeed(intervals) : Effect.fail(invalid(details))
}

/** Readings of batteries tell what they did; other devices are seen at the meter alone. */
const defaultMethod = (intervals: ReadonlyArray<DispatchInterval>) =>
  intervals.every(({ actions }) => Object.keys(actions).every((type) => type === "battery"))
    ? "device-metered"
    : "x-of-y"

/** The baseline of a dispatch: the given one, or the default for its devices. */
export const checkedBaseline = (
  given: CreateDispatch["baseline"],
  intervals: ReadonlyArray<DispatchInterval>
): Effect.Effect<Baseline, ValidationError> => {
  const { method = defaultMethod(intervals), parameters = {} } = given ?? {}
  const { x, y } = parameters
  return x !== undefined && y !== undefined && x > y
    ? Effect.fail(invalid({ "baseline.parameters.x": "Must be at most y" }))
    : Effect.succeed({ method, parameters })
}
