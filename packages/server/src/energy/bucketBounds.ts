import { MAX_POINTS, periods } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"

/** Milliseconds since 1970; `to` is exclusive. */
export interface MetricSpan {
  readonly from: number
  readonly to: number
}

const DAY = 86_400_000
const clockSteps = { "15m": 900_000, hour: 3_600_000 } as const
type ClockPeriod = keyof typeof clockSteps
type CalendarPeriod = Exclude<Period, ClockPeriod | "day">

/** An upper bound of each bucket's length: a span has at least its length divided by it. */
const LONGEST = {
  "15m": 900_000,
  hour: 3_600_000,
  day: 2 * DAY,
  week: 8 * DAY,
  month: 32 * DAY,
  year: 367 * DAY
} as const satisfies Record<Period, number>

const calendarSteps = { week: { weeks: 1 }, month: { months: 1 }, year: { years: 1 } } as const

const isClock = (period: Period): period is ClockPeriod => Object.hasOwn(clockSteps, period)

const zonedAt = (at: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)

/** Weeks begin on Monday. */
const startOfPeriod = (date: Temporal.PlainDate, period: CalendarPeriod) => {
  if (period === "week") return date.subtract({ days: date.dayOfWeek - 1 })
  if (period === "month") return date.with({ day: 1 })
  return period === "year" ? date.with({ month: 1, day: 1 }) : date
}

/**
 * Local quarters and hours of a span. A clock change begins a new bucket: a repeated hour makes two buckets, a skipped hour none,
 * and a change by half an hour one that is shorter.
 */
function* clockBounds(period: ClockPeriod, { from, to }: MetricSpan, timezone: string) {
  const step = clockSteps[period]
  for (let at = from; at < to;) {
    const zoned = zonedAt(at, timezone)
    const offset = zoned.offsetNanoseconds / 1e6
    const change = zoned.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const first = (Math.floor((at + offset) / step) + 1) * step - offset
    for (let edge = first; edge < Math.min(change, to); edge += step) yield edge
    if (change < to) yield change
    at = change
  }
}

const isMidnight = ({ hour, minute }: Temporal.ZonedDateTime) => hour === 0 && minute === 0

/**
 * Days begin with their first instant, which need not be midnight. Between clock changes they are 24 hours long, so only
 * the days around a change are looked up.
 */
function* dayBounds({ from, to }: MetricSpan, timezone: string) {
  for (let date = zonedAt(from, timezone).toPlainDate(); ;) {
    date = date.add({ days: 1 })
    const beginning = date.toZonedDateTime({ timeZone: timezone })
    const first = beginning.epochMilliseconds
    if (first >= to) return
    // A skipped day begins and ends where the next one begins.
    if (first > from) yield first
    if (!isMidnight(beginning)) continue
    const change = beginning.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const last = Math.min(change, to) - 1
    for (let edge = first + DAY; edge <= last; edge += DAY) yield edge
    if (last === to - 1) return
    date = date.add({ days: Math.floor((last - first) / DAY) })
  }
}

/** Weeks and longer periods begin with the first instant of their first day. */
function* calendarBounds(period: CalendarPeriod, { from, to }: MetricSpan, timezone: string) {
  const first = startOfPeriod(zonedAt(from, timezone).toPlainDate(), period)
  for (let n = 1; ; n++) {
    const date = first.add(multiple(calendarSteps[period], n))
    const edge = date.toZonedDateTime({ timeZone: timezone }).epochMilliseconds
    if (edge >= to) return
    if (edge > from) yield edge
  }
}

const multiple = (step: Temporal.DurationLike, n: number) =>
  Object.fromEntries(Object.entries(step).map(([unit, value]) => [unit, value * n]))

const innerBounds = (period: Period, span: MetricSpan, timezone: string) => {
  if (period === "day") return dayBounds(span, timezone)
  return isClock(period) ? clockBounds(period, span, timezone) : calendarBounds(period, span, timezone)
}

/**
 * The bounds of a span's buckets, ascending: the first is `from`, the last is `to`, and two neighbours enclose a bucket.
 * Undefined when there are more than `limit` buckets.
 */
export const bucketBounds = (
  period: Period,
  span: MetricSpan,
  timezone: string,
  limit = MAX_POINTS
): ReadonlyArray<number> | undefined => {
  if (span.from >= span.to) return [span.from]
  if ((span.to - span.from) / LONGEST[period] > limit) return undefined
  const bounds = [span.from]
  for (const edge of innerBounds(period, span, timezone)) {
    if (edge === bounds.at(-1)) continue
    bounds.push(edge)
    if (bounds.length > limit) return undefined
  }
  bounds.push(span.to)
  return bounds
}

/** The next longer period that makes at most `MAX_POINTS` buckets. */
export const largerPeriod = (period: Period, span: MetricSpan, timezone: string): Period | undefined =>
  periods.slice(periods.indexOf(period) + 1).find((longer) => bucketBounds(longer, span, timezone) !== undefined)

/** Readings are accepted from the year 2000 until a few minutes ahead of the clock. */
const EARLIEST = Date.UTC(2000, 0)
const AHEAD = 10 * 60_000

/** The bounds of the buckets that can hold readings, clipped to accepted times, and the index of the first of these buckets. */
export const boundsOfReadings = (bounds: ReadonlyArray<number>, now: number) => {
  const latest = now + AHEAD
  const first = bounds.findIndex((_, at) => (bounds[at + 1] ?? Number.NEGATIVE_INFINITY) > EARLIEST)
  const last = bounds.findLastIndex((bound) => bound < latest)
  if (first < 0 || last < first || first === bounds.length - 1) return undefined
  const within = bounds.slice(first, last + 2)
  return { first, bounds: within.map((bound) => Math.min(Math.max(bound, EARLIEST), latest)) }
}
