import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect } from "effect"
import type { MetricSpan } from "../energy/bucketBounds.ts"

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

type Asked = Pick<MetricQuery, "from" | "to" | "timeframe">

const conflict = "Must not be given together with timeframe"

/** What a query asks for: a timeframe back from now, or from `from` to `to`; by default the last 24 hours. */
export const metricSpan = ({ from, timeframe, to }: Asked, now: number): Effect.Effect<MetricSpan, ValidationError> => {
  if (timeframe !== undefined) {
    if (from === undefined && to === undefined) return Effect.succeed({ from: now - lengths[timeframe], to: now })
    return Effect.fail(invalid({ ...(from && { from: conflict }), ...(to && { to: conflict }) }))
  }
  const end = to === undefined ? now : parseTimestamp(to)!
  const start = from === undefined ? end - DAY : parseTimestamp(from)!
  return start > end
    ? Effect.fail(invalid({ from: "Must not be after `to`" }))
    : Effect.succeed({ from: start, to: end })
}

/** The period of a query that names none. */
export const defaultPeriod = ({ from, to }: MetricSpan): Period => (to - from <= 7 * DAY ? "hour" : "day")
