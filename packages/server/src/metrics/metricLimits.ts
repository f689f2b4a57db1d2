import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { MAX_ANSWER, MAX_DEVICE_DAYS, MAX_POINTS } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { Effect } from "effect"
import { bucketBounds, largerPeriod, type MetricSpan } from "../energy/bucketBounds.ts"

const DAY = 86_400_000

const number = (value: number) => value.toLocaleString("en")

/** The bounds of the buckets, where they are not too many. */
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

/** Refuses an answer that would be too large. */
export const requireFewPoints = (
  series: number,
  bounds: ReadonlyArray<number>
): Effect.Effect<void, ValidationError> => {
  const points = series * (bounds.length - 1)
  if (points <= MAX_ANSWER) return Effect.void
  return Effect.fail(
    invalid({
      groupBy: `Makes ${number(points)} points in ${number(series)} series, and an answer has ${number(MAX_ANSWER)} at most: ask for longer periods, a shorter span, or fewer devices or sites`
    })
  )
}

/** Refuses a question that would take too long to answer. */
export const requireComputable = (
  devices: number,
  bounds: ReadonlyArray<number>
): Effect.Effect<void, ValidationError> => {
  const deviceDays = Math.ceil((devices * (bounds.at(-1)! - bounds[0]!)) / DAY)
  if (deviceDays <= MAX_DEVICE_DAYS) return Effect.void
  return Effect.fail(
    invalid({
      from: `Asks for ${number(deviceDays)} days of devices, and an answer is computed from ${number(MAX_DEVICE_DAYS)} at most: ask for a shorter span or fewer devices`
    })
  )
}
