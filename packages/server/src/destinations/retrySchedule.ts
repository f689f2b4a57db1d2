const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after the first, second, … failure, in milliseconds: about 28 hours in all. */
const pauses = [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** After so many failures a delivery no longer holds up the later ones of its subject. */
export const PASSED_AFTER = 4

/** A pause is drawn from so much of it on either side, so that what failed together does not come back together. */
const JITTER = 0.1

/** No receiver may ask for a longer pause. */
const LONGEST_ASKED = 24 * HOUR

/**
 * How long to wait after a failure, in milliseconds; undefined when it was the last try.
 *
 * @param failures How often it has failed, from 1.
 * @param random From 0 to 1.
 * @param askedMs What the receiver asked for by Retry-After; a shorter pause than the schedule's changes nothing.
 */
export const pauseAfter = (failures: number, random: number, askedMs: number | undefined): number | undefined => {
  const pause = pauses[failures - 1]
  if (pause === undefined) return undefined
  const drawn = pause * (1 + JITTER * (2 * random - 1))
  return Math.round(Math.max(drawn, Math.min(askedMs ?? 0, LONGEST_ASKED)))
}

/** What a Retry-After header asks for, in milliseconds from now: seconds or a date of HTTP; undefined when it is neither. */
export const askedPause = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/u.test(text)) return Number(text) * SECOND
  const date = /^[A-Z][a-z]{2},? /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
