import type { PushFields, Reading } from "@edp/domain/direct-integration/DirectIntegration"
import { validator } from "@edp/domain/errors/validator"
import { Coordinates } from "@edp/domain/shared/Address"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Result } from "effect"
import { type KeptTimes, tooOld } from "./keptTimes.ts"
import type { Details, Path } from "./details.ts"

const AHEAD = 5 * 60_000
const YEAR_2000 = Date.UTC(2000)

/** What a reading's time is held against: now, in milliseconds, and of what times readings are kept. */
export interface Window {
  readonly now: number
  readonly kept: KeptTimes
}

const decodeCoordinates = validator(Coordinates, "location")

const timeProblem = (at: number, { now, kept }: Window) => {
  if (at > now + AHEAD) return "Must be at most 5 minutes ahead"
  if (at < YEAR_2000) return "Must not be before the year 2000"
  return tooOld(at, now, kept)
}

/** When the reading was taken, in milliseconds; what is wrong with it whatever its device's type is added to the details. */
export const takenAt = (
  { timestamp, location }: Pick<Reading, "timestamp" | "location">,
  window: Window,
  path: Path,
  details: Details
): number => {
  const at = timestamp === undefined ? window.now : parseTimestamp(timestamp)!
  const problem = timeProblem(at, window)
  if (problem !== undefined) details[[...path, "timestamp"].join(".")] = problem
  if (location !== undefined) {
    const decoded = decodeCoordinates(location, [...path, "location"])
    if (Result.isFailure(decoded)) Object.assign(details, decoded.failure)
  }
  return at
}

const ofOneReading = ["timestamp", "onlineStatus", "location"] as const

/** A push carries one reading or a list of them. What belongs to one reading has no place beside the list. */
export const checkForm = (input: PushFields, details: Details) => {
  if (input.readings === undefined) {
    if (input.state === undefined) details.state = "Is required, or else readings"
    return
  }
  if (input.state !== undefined) details.state = "Must be absent where there are readings"
  for (const field of ofOneReading) {
    if (input[field] !== undefined) details[field] = "Must be in each of the readings"
  }
}
