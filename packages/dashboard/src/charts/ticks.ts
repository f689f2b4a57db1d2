import { DateTime } from "effect"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Step =
  | { readonly unit: "minute"; readonly by: number }
  | { readonly unit: "hour"; readonly by: number }
  | { readonly unit: "day"; readonly by: number }
  | { readonly unit: "month"; readonly by: number }

/** Steps of an axis, each with the longest span for which it is used. */
const steps: ReadonlyArray<readonly [longest: number, step: Step]> = [
  [20 * MINUTE, { unit: "minute", by: 2 }],
  [HOUR, { unit: "minute", by: 10 }],
  [3 * HOUR, { unit: "minute", by: 30 }],
  [8 * HOUR, { unit: "hour", by: 1 }],
  [26 * HOUR, { unit: "hour", by: 4 }],
  [2 * DAY, { unit: "hour", by: 6 }],
  [10 * DAY, { unit: "day", by: 1 }],
  [20 * DAY, { unit: "day", by: 2 }],
  [45 * DAY, { unit: "day", by: 4 }],
  [100 * DAY, { unit: "day", by: 14 }],
  [400 * DAY, { unit: "month", by: 1 }],
  [1200 * DAY, { unit: "month", by: 3 }]
]

const stepFor = (span: number): Step =>
  steps.find(([longest]) => span <= longest)?.[1] ?? { unit: "month", by: 12 * Math.ceil(span / (12 * 400 * DAY)) }

const zoned = (time: number, timeZone: string) => DateTime.makeZonedUnsafe(time, { timeZone })

const firstTick = (from: number, step: Step, timeZone: string) => {
  const unit = step.unit === "month" ? "month" : step.unit === "minute" ? "hour" : "day"
  const start = DateTime.startOf(zoned(from, timeZone), unit)
  return start.epochMilliseconds
}

const tickAt = (first: number, index: number, { unit, by }: Step, timeZone: string) => {
  const start = zoned(first, timeZone)
  const amount = index * by
  if (unit === "minute") return first + amount * MINUTE
  if (unit === "month") return DateTime.add(start, { months: amount }).epochMilliseconds
  if (unit === "day") return DateTime.add(start, { days: amount }).epochMilliseconds
  // Counted in local time: after a daylight saving change the ticks are at the same hours as before.
  const day = DateTime.add(start, { days: Math.floor(amount / 24) })
  return DateTime.setParts(day, { hour: amount % 24 }).epochMilliseconds
}

/** An upper limit. The steps above never need more ticks for their spans. */
const MOST = 60

/** Times of an axis that are minutes, hours, midnights or first days of months in a time zone. */
export const timeTicks = (from: number, to: number, timeZone: string): ReadonlyArray<number> => {
  const step = stepFor(to - from)
  const first = firstTick(from, step, timeZone)
  const ticks: Array<number> = []
  for (let index = 0; index < MOST; index++) {
    const tick = tickAt(first, index, step, timeZone)
    if (tick > to) break
    if (tick >= from && tick !== ticks.at(-1)) ticks.push(tick)
  }
  return ticks
}
