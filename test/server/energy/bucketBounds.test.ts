import { MAX_POINTS, periods } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { bucketBounds, boundsOfReadings, largerPeriod } from "@edp/server/energy/bucketBounds"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { periodAt } from "../metrics/wallClock.ts"

const at = Date.parse
const iso = (instant: number) => new Date(instant).toISOString()
const HOUR = 3_600_000

const buckets = (period: Period, from: string, to: string, timezone: string) =>
  bucketBounds(period, { from: at(from), to: at(to) }, timezone)!

/** Hours of whole and half days, clocks that change at midnight, by half an hour, and a zone that skipped a day. */
const zones = [
  "UTC",
  "America/Los_Angeles",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Pacific/Apia",
  "Pacific/Chatham"
]

describe("the buckets of a span", () => {
  const spans = Schema.Struct({
    zone: Schema.Literals(zones),
    period: Schema.Literals(periods),
    from: Schema.Int.check(
      Schema.isBetween({ minimum: at("2000-01-02T00:00:00Z"), maximum: at("2029-12-31T00:00:00Z") })
    ),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 * 24 * HOUR }))
  })

  test("are each one period of the zone, contiguous, truncated at both ends, in any zone and at any time", () => {
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(spans),
        ({ from, length, period, zone }) =>
          Effect.sync(() => {
            const span = { from, to: from + length * (period === "month" || period === "year" ? 30 : 1) }
            const bounds = bucketBounds(period, span, zone, 10_000)!
            const keys = bounds.slice(0, -1).map((bound) => periodAt(period, bound, zone))
            const lasts = bounds.slice(1).map((bound) => periodAt(period, bound - 1, zone))
            return (
              bounds[0] === span.from &&
              bounds.at(-1) === span.to &&
              bounds.every((bound, n) => n === 0 || bound > bounds[n - 1]!) &&
              keys.every((key, n) => key === lasts[n] && (n === 0 || key !== keys[n - 1]))
            )
          }),
        { runs: 400 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })

  test.each([
    ["23 hours when clocks go forward", "2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z", "America/Los_Angeles", 23],
    ["25 hours when clocks go back", "2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z", "America/Los_Angeles", 25],
    ["23 hours of a day that begins at 1", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z", "America/Sao_Paulo", 23],
    [
      "24 hours and a half one where clocks go back by half an hour",
      "2026-04-04T13:00:00Z",
      "2026-04-05T13:30:00Z",
      "Australia/Lord_Howe",
      25
    ],
    [
      "23 hours and a half one where clocks go forward by half an hour",
      "2026-10-03T13:30:00Z",
      "2026-10-04T13:00:00Z",
      "Australia/Lord_Howe",
      24
    ]
  ])("have %s", (_, from, to, timezone, hours) => {
    expect(buckets("hour", from, to, timezone).length - 1).toBe(hours)
    const day = buckets("day", iso(at(from) - HOUR), iso(at(to) + HOUR), timezone)
    expect(day.slice(1, -1).map(iso)).toEqual([from, to].map((text) => iso(at(text))))
  })

  test("omit a day that the time zone skipped", () => {
    const days = buckets("day", "2011-12-29T10:00:00Z", "2012-01-01T10:00:00Z", "Pacific/Apia")
    expect(days.map(iso)).toEqual([
      "2011-12-29T10:00:00.000Z",
      "2011-12-30T10:00:00.000Z",
      "2011-12-31T10:00:00.000Z",
      "2012-01-01T10:00:00.000Z"
    ])
  })

  test("are quarters and hours of local time, also with half-hour offsets", () => {
    expect(buckets("hour", "2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z", "Asia/Kolkata").map(iso)).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:30:00.000Z",
      "2026-01-01T01:30:00.000Z",
      "2026-01-01T02:00:00.000Z"
    ])
    expect(buckets("15m", "2026-01-01T00:05:00Z", "2026-01-01T00:31:00Z", "UTC").map(iso)).toEqual([
      "2026-01-01T00:05:00.000Z",
      "2026-01-01T00:15:00.000Z",
      "2026-01-01T00:30:00.000Z",
      "2026-01-01T00:31:00.000Z"
    ])
  })

  test("begin on Monday for weeks, and on the first day for months and years", () => {
    const [from, to] = ["2025-12-20T12:00:00Z", "2026-02-03T12:00:00Z"]
    const begins = (period: Period) => buckets(period, from, to, "Europe/Berlin").slice(1, -1).map(iso)
    expect(begins("week")).toEqual(
      ["2025-12-21", "2025-12-28", "2026-01-04", "2026-01-11", "2026-01-18", "2026-01-25", "2026-02-01"].map(
        (day) => `${day}T23:00:00.000Z`
      )
    )
    expect(begins("month")).toEqual(["2025-12-31T23:00:00.000Z", "2026-01-31T23:00:00.000Z"])
    expect(begins("year")).toEqual(["2025-12-31T23:00:00.000Z"])
  })

  test("are empty for an empty span", () => {
    expect(buckets("day", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "UTC")).toHaveLength(1)
  })

  test("are not created if there are too many; the error names a longer period", () => {
    const ages = { from: at("0001-01-01T00:00:00Z"), to: at("9999-01-01T00:00:00Z") }
    expect(bucketBounds("15m", ages, "Europe/Berlin")).toBeUndefined()
    expect(largerPeriod("15m", ages, "Europe/Berlin")).toBeUndefined()
    const year = { from: at("2025-01-01T00:00:00Z"), to: at("2026-01-01T00:00:00Z") }
    expect(largerPeriod("15m", year, "UTC")).toBe("day")
    const exactly = { from: 0, to: MAX_POINTS * HOUR }
    expect(bucketBounds("hour", exactly, "UTC")).toHaveLength(MAX_POINTS + 1)
    expect(bucketBounds("hour", { ...exactly, to: exactly.to + 1 }, "UTC")).toBeUndefined()
  })
})

describe("the part of the buckets that can have readings", () => {
  const now = at("2026-03-01T12:00:00Z")

  test("omits times before the year 2000 and in the future", () => {
    const years = buckets("year", "1990-06-01T00:00:00Z", "2040-01-01T00:00:00Z", "UTC")
    const { bounds, first } = boundsOfReadings(years, now)!
    expect([iso(years[first]!), iso(bounds[0]!), iso(bounds.at(-1)!)]).toEqual([
      "2000-01-01T00:00:00.000Z",
      "2000-01-01T00:00:00.000Z",
      "2026-03-01T12:10:00.000Z"
    ])
    expect(bounds).toHaveLength(28)
  })

  test("truncates a bucket at both ends", () => {
    expect(boundsOfReadings([at("1000-01-01T00:00:00Z"), at("3000-01-01T00:00:00Z")], now)).toEqual({
      first: 0,
      bounds: [at("2000-01-01T00:00:00Z"), at("2026-03-01T12:10:00Z")]
    })
  })

  test("is empty for a span that is over before 2000, is in the future, or is empty", () => {
    expect(boundsOfReadings([0, HOUR, 2 * HOUR], now)).toBeUndefined()
    expect(boundsOfReadings([now + HOUR, now + 2 * HOUR], now)).toBeUndefined()
    expect(boundsOfReadings([now - HOUR], now)).toBeUndefined()
  })
})
