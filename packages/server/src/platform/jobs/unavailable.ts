import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Cause } from "effect"

/** Whether work failed because the database does not respond: that is logged where statements are run, and concerns no item. */
export const isUnavailable = (cause: Cause.Cause<unknown>): boolean => Cause.squash(cause) instanceof ServiceUnavailable

/** The longest pause of work while the database does not respond, in milliseconds: it resumes within seconds. */
const LONGEST_UNAVAILABLE = 5000
/** The longest pause of work that fails for another reason. */
const LONGEST_FAILING = 60_000
const SHORTEST = 250

/** The pause in milliseconds after a number of failures in a row. Work that runs seldom is repeated sooner. */
export const pauseAfter = (failures: number, cause: Cause.Cause<unknown>, pause: number): number => {
  const longest = isUnavailable(cause) ? LONGEST_UNAVAILABLE : LONGEST_FAILING
  return Math.min(longest, Math.max(pause, SHORTEST * 2 ** Math.min(failures - 1, 20)))
}
