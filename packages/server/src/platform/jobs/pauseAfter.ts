/** The longest pause of work while the database is unavailable, in milliseconds: it resumes within seconds. */
const LONGEST_UNAVAILABLE = 5000
/** The longest pause of work that fails for another reason. */
const LONGEST_FAILING = 60_000
const SHORTEST = 250

/** The pause in milliseconds after a number of failures in a row. Work that runs seldom is repeated sooner. */
export const pauseAfter = (failures: number, pause: number, reason?: "unavailable"): number => {
  const longest = reason === "unavailable" ? LONGEST_UNAVAILABLE : LONGEST_FAILING
  return Math.min(longest, Math.max(pause, SHORTEST * 2 ** Math.min(failures - 1, 20)))
}
