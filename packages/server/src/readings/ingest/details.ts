import { DETAILS_LIMIT } from "@edp/domain/errors/ApiErrors"
import { SENTENCE_MAX_LENGTH } from "@edp/domain/errors/ApiError"
import { Cause, type Exit } from "effect"

/** Each offending field of a request, as a dotted path, with one sentence. */
export type Details = Record<string, string>

export type Path = ReadonlyArray<string | number>

// The names come from the caller, so the record has no prototype for one of them to reach.
export const noDetails = (): Details => Object.create(null)

/** Whether there is more than one answer names. */
export const isEnough = (details: Details) => Object.keys(details).length > DETAILS_LIMIT

export const hasAny = (details: Details) => Object.keys(details).length > 0

/** The names of fields come from the caller, who may send thousands of them and of any letters. */
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

/** The error of a failed decoding. */
export const failure = <E>(exit: Exit.Failure<unknown, E>): E => Cause.squash(exit.cause) as E
