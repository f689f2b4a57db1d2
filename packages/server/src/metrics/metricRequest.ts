import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { type MetricQuery, bySite, MAX_RESPONSE, MAX_DEVICE_DAYS, MAX_POINTS } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect } from "effect"
import { QUARTER } from "../energy/intervals.ts"
import { type MetricSpan, bucketBounds, largerPeriod } from "../energy/bucketBounds.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const lengths = {
  "1h": HOUR,
  "12h": 12 * HOUR,
  "24h": DAY,
  "1d": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
  "90d": 90 * DAY,
  "1y": 365 * DAY
} as const satisfies Record<NonNullable<MetricQuery["timeframe"]>, number>

type SpanQuery = Pick<MetricQuery, "from" | "to" | "timeframe">

const conflict = "Must not be given together with timeframe"

/** Time frames of a day and more begin with the first whole quarter of an hour in them, of which sums are kept. */
const frameStart = (end: number, frame: keyof typeof lengths) => {
  const start = end - lengths[frame]
  return lengths[frame] < DAY ? start : Math.ceil(start / QUARTER) * QUARTER
}

/** The span of a query: a timeframe back from now, or from `from` to `to`; by default a timeframe back from `to`. */
export const metricSpan = (
  { from, timeframe, to }: SpanQuery,
  now: number,
  byDefault: keyof typeof lengths = "24h"
): Effect.Effect<MetricSpan, ValidationError> => {
  if (timeframe !== undefined) {
    if (from === undefined && to === undefined) return Effect.succeed({ from: frameStart(now, timeframe), to: now })
    return Effect.fail(invalid({ ...(from && { from: conflict }), ...(to && { to: conflict }) }))
  }
  const end = to === undefined ? now : parseTimestamp(to)!
  const byFrame = to === undefined ? frameStart(end, byDefault) : end - lengths[byDefault]
  const start = from === undefined ? byFrame : parseTimestamp(from)!
  return start > end
    ? Effect.fail(invalid({ from: "Must not be after `to`" }))
    : Effect.succeed({ from: start, to: end })
}

/** The default period. */
export const defaultPeriod = ({ from, to }: MetricSpan): Period => (to - from <= 7 * DAY ? "hour" : "day")

const number = (value: number) => value.toLocaleString("en")

export type Grouping = NonNullable<MetricQuery["groupBy"]>

/** The bounds of the buckets, or a refusal when there are too many. */
export const requireBounds = (
  period: Period,
  span: MetricSpan,
  timezone: string
): Effect.Effect<ReadonlyArray<number>, ValidationError> => {
  const bounds = bucketBounds(period, span, timezone)
  if (bounds !== undefined) return Effect.succeed(bounds)
  const larger = largerPeriod(period, span, timezone)
  const advice = larger === undefined ? "ask for a shorter span" : `ask for ${larger} or longer, or for a shorter span`
  return Effect.fail(
    invalid({ period: `${period} makes more than ${number(MAX_POINTS)} points a series of this span: ${advice}` })
  )
}

/** Refuses responses that would be too large. */
export const requireFewPoints = (
  groupBy: Grouping,
  series: number,
  bounds: ReadonlyArray<number>
): Effect.Effect<void, ValidationError> => {
  const points = series * (bounds.length - 1)
  const most = groupBy === "site" ? bySite.points : MAX_RESPONSE
  if (points <= most) return Effect.void
  return Effect.fail(
    invalid({
      groupBy: `Makes ${number(points)} points in ${number(series)} series, and a response has ${number(most)} at most: ask for longer periods, a shorter span, or fewer devices or sites`
    })
  )
}

/** Refuses queries that would take too long. */
export const requireComputable = (groupBy: Grouping, milliseconds: number): Effect.Effect<void, ValidationError> => {
  const deviceDays = Math.ceil(milliseconds / DAY)
  const most = groupBy === "site" ? bySite.deviceDays : MAX_DEVICE_DAYS
  if (deviceDays <= most) return Effect.void
  return Effect.fail(
    invalid({
      from: `Asks for ${number(deviceDays)} days of devices, and a response is computed from ${number(most)} at most: ask for a shorter span or fewer devices`
    })
  )
}
