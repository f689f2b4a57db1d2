import { readingSchemas, STATE_FIELDS_LIMIT } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { PushFields, Reading } from "@edp/domain/direct-integration/DirectIntegration"
import { SENTENCE_MAX_LENGTH } from "@edp/domain/errors/ApiError"
import { DETAILS_LIMIT } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { Coordinates } from "@edp/domain/shared/Address"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Cause, type Exit, Result, type Schema } from "effect"
import type { KeptTimes } from "../retention/KeptReadings.ts"
import { MOST_AHEAD } from "./readingBatch.ts"

/** The invalid fields of a request, as dotted paths, with one sentence each. */
export type Details = Record<string, string>

export type Path = ReadonlyArray<string | number>

// The names come from the caller, so the record has no prototype that one of them could reach.
export const noDetails = (): Details => Object.create(null)

/** Whether there are more than a response lists. */
export const isEnough = (details: Details) => Object.keys(details).length > DETAILS_LIMIT

export const hasAny = (details: Details) => Object.keys(details).length > 0

/** The names of fields come from the caller: there may be thousands of them, with any characters. */
const brief = (text: string) => {
  const readable = text.replaceAll("\0", "\uFFFD").toWellFormed()
  return readable.length <= SENTENCE_MAX_LENGTH
    ? readable
    : `${readable.slice(0, SENTENCE_MAX_LENGTH - 1).toWellFormed()}…`
}

/** The details in one line, for an item of a list. */
export const sentence = (details: Details) =>
  brief(
    Object.entries(details)
      .map(([field, problem]) => `${field}: ${problem}`)
      .join("; ")
  )

/** The error of a failed exit. */
export const failure = <E>(exit: Exit.Failure<unknown, E>): E => Cause.squash(exit.cause) as E

const DAY = 86_400_000

/** The message for a reading that is too old to be kept. */
const tooOld = (at: number, now: number, { retentionDays, droppedBefore }: KeptTimes): string | undefined => {
  if (retentionDays !== undefined && at < now - retentionDays * DAY) {
    return `Must be within the ${retentionDays} days for which readings are kept`
  }
  return at < droppedBefore
    ? `Must not be before ${new Date(droppedBefore).toISOString()}: older readings have been dropped`
    : undefined
}

/** Adds a problem for a reading that the workspace of its device is no longer to keep. */
export const checkKept = (at: number, now: number, kept: KeptTimes | undefined, path: Path, details: Details) => {
  const problem = kept === undefined ? undefined : tooOld(at, now, kept)
  if (problem !== undefined) details[[...path, "timestamp"].join(".")] = problem
}

const YEAR_2000 = Date.UTC(2000)

/** The bounds of a reading's time: now, in milliseconds, and the times from which readings are kept. */
export interface Window {
  readonly now: number
  readonly kept: KeptTimes
}

const decodeCoordinates = validator(Coordinates, "location")

const timeProblem = (at: number, { now, kept }: Window) => {
  if (at > now + MOST_AHEAD) return "Must be at most 5 minutes ahead"
  if (at < YEAR_2000) return "Must not be before the year 2000"
  return tooOld(at, now, kept)
}

/** The time of the reading, in milliseconds. Adds the problems that don't depend on the device's type to the details. */
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

/** A push has either the fields of one reading or a list of readings. */
export const checkForm = (input: PushFields, details: Details) => {
  if (input.readings === undefined) {
    if (input.state === undefined) details.state = "Is required, or else readings"
    return
  }
  if (input.state !== undefined) details.state = "Must be absent with readings"
  for (const field of ofOneReading) {
    if (input[field] !== undefined) details[field] = "Must be in each of the readings"
  }
}

type State = Readonly<Record<string, unknown>>
// Prepared once: looking up the variant's decoder costs less than trying the variants.
const decoders = Object.fromEntries(
  Object.entries(readingSchemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<State, unknown>, "state", { onExcessProperty: "error" })
  ])
) as Record<DeviceType, ReturnType<typeof validator<State>>>

const completed = (type: DeviceType, state: State): State => {
  if (type === "battery") return { strategy: "unknown", ...state }
  if (type === "vehicle" && typeof state.chargeCompletedAt === "string") {
    return { ...state, chargeCompletedAt: new Date(parseTimestamp(state.chargeCompletedAt)!).toISOString() }
  }
  return state
}

/**
 * The state of a device of this type as JSON text, with the variant's defaults and with times in UTC. Returns undefined
 * for an invalid state and adds its problems to the details.
 */
export const stateText = (type: DeviceType, state: State, path: Path, details: Details): string | undefined => {
  if (Object.keys(state).length > STATE_FIELDS_LIMIT) {
    details[path.join(".")] = `Must have at most ${STATE_FIELDS_LIMIT} fields`
    return undefined
  }
  const decoded = decoders[type](state, path)
  if (Result.isSuccess(decoded)) return JSON.stringify(completed(type, decoded.success))
  Object.assign(details, decoded.failure)
  return undefined
}

/** After this many readings other requests get their turn. */
const TURN = 100

/** Whether to yield to other requests before the item at this index. */
export const shouldYield = (position: number) => position % TURN === TURN - 1
