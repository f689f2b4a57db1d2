import type { UsageInterval, UtilityMeter } from "../../support/peers/utilityFeed.ts"

export const HOUR = 3600
export const DAY = 86_400

export const meterIds = {
  kitchen: "48c2a019-5598-4e16-b0f9-49e4ff27f5fb",
  barn: "0a1b2c3d-1111-4222-8333-444455556666",
  gas: "ffffffff-5598-4e16-b0f9-49e4ff27f500"
} as const

/** The begin of the day in UTC, seconds since 1970. */
export const midnight = (now: number) => Math.floor(now / 1000 / DAY) * DAY

/** Intervals that follow each other. */
export const run = (start: number, duration: number, values: ReadonlyArray<number>): ReadonlyArray<UsageInterval> =>
  values.map((value, at) => ({ start: start + at * duration, duration, value }))

/** Whole Wh of the hours of some days: import in the morning and at night, export at noon, both in one hour of each week. */
export const homeHours = (from: number, days: number) => {
  const hours = Array.from({ length: days * 24 }, (_, at) => at)
  const isNoon = (at: number) => at % 24 >= 10 && at % 24 < 16
  const both = (at: number) => at % 168 === 9
  return {
    imported: run(
      from,
      HOUR,
      hours.map((at) => (isNoon(at) ? 0 : 300 + ((at * 37) % 911)))
    ),
    exported: run(
      from,
      HOUR,
      hours.map((at) => (isNoon(at) || both(at) ? 100 + ((at * 53) % 1503) : 0))
    )
  }
}

export const electric = (id: string, title: string, ...series: UtilityMeter["series"]): UtilityMeter => ({
  id,
  title,
  kind: 0,
  series
})

export const gasMeter: UtilityMeter = { id: meterIds.gas, title: "Gas", kind: 1, series: [] }

export const RECEIVED = { flowDirection: 19 }
