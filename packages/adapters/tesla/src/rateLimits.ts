import { retryAfterHeader } from "@edp/adapter-kit/http/httpResponse"

const SECOND = 1000
const LONGEST = 86_400_000

/** Numbers above these are times since 1970 in seconds or milliseconds; smaller ones are seconds from now. */
const EPOCH_SECONDS = 1_000_000_000
const EPOCH_MILLISECONDS = 1_000_000_000_000

const instant = (value: number, now: number): number =>
  value > EPOCH_MILLISECONDS ? value : value > EPOCH_SECONDS ? value * SECOND : now + value * SECOND

const numeric = (text: string | undefined): number | null =>
  text === undefined || !/^\d+(?:\.\d+)?$/.test(text.trim()) ? null : Number(text)

/** The reset of the windows of `RateLimit-<class>-Remaining` that are used up; of all windows if none says so. */
const fromWindows = (headers: Readonly<Record<string, string>>, now: number): number | null => {
  const windows = Object.entries(headers).flatMap(([name, value]) => {
    const prefix = /^(ratelimit(?:-[a-z0-9-]+)?)-reset$/i.exec(name)?.[1]
    const reset = numeric(value)
    if (prefix === undefined || reset === null) return []
    return [{ used: numeric(headers[`${prefix}-remaining`]) === 0, reset: instant(reset, now) }]
  })
  const used = windows.filter((window) => window.used)
  const resets = (used.length > 0 ? used : windows).map(({ reset }) => reset)
  return resets.length === 0 ? null : Math.max(...resets)
}

/** Some responses carry the seconds to wait as `after` in the body. */
const fromBody = (body: unknown, now: number): number | null =>
  typeof body === "object" && body !== null && "after" in body && typeof body.after === "number" && body.after >= 0
    ? now + body.after * SECOND
    : null

/**
 * The time before which no call may be made, milliseconds since 1970: the latest that a response names, at most a day ahead,
 * never in the past. Null if it names none.
 *
 * @param headers With lower-case names.
 */
export const retryAfter = (headers: Readonly<Record<string, string>>, body: unknown, now: number): number | null => {
  const times = [retryAfterHeader(headers["retry-after"], now), fromWindows(headers, now), fromBody(body, now)].filter(
    (time) => time !== null
  )
  return times.length === 0 ? null : Math.min(Math.max(now, ...times), now + LONGEST)
}
