import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { EnrollmentPeriod } from "@edp/domain/programs/ProgramInstance"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect } from "effect"
import type { StoredPeriod } from "./instanceRow.ts"

const toUtc = (text: string) => new Date(parseTimestamp(text)!).toISOString()

/** Valid periods in the form in which they are stored: each deadline is after the one before, and no activation before its deadline. */
export const checkedPeriods = (
  given: ReadonlyArray<EnrollmentPeriod>
): Effect.Effect<ReadonlyArray<StoredPeriod>, ValidationError> => {
  const details: Record<string, string> = {}
  let last = Number.NEGATIVE_INFINITY
  for (const [index, period] of given.entries()) {
    const deadline = parseTimestamp(period.deadline)!
    const path = `enrollmentPeriods.${index}`
    if (deadline <= last) details[`${path}.deadline`] = "Must be after the deadline of the previous period"
    if (parseTimestamp(period.activatesAt)! < deadline) {
      details[`${path}.activatesAt`] = "Must be at or after the deadline of the period"
    }
    last = deadline
  }
  return Object.keys(details).length > 0
    ? Effect.fail(invalid(details))
    : Effect.succeed(
        given.map(({ activatesAt, deadline }) => ({ deadline: toUtc(deadline), activatesAt: toUtc(activatesAt) }))
      )
}
