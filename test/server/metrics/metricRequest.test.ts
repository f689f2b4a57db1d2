import { defaultPeriod, metricSpan } from "@edp/server/metrics/metricRequest"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"

const now = Date.parse("2026-03-01T12:34:56.789Z")
const HOUR = 3_600_000
const DAY = 24 * HOUR
const nextQuarter = (at: number) => Math.ceil(at / 900_000) * 900_000
const findSpan = (query: object) => Effect.runSync(metricSpan(query, now))
const findDetails = (query: object) => Effect.runSync(Effect.flip(metricSpan(query, now))).details

describe("the span of a request", () => {
  test.each([
    ["1h", HOUR],
    ["12h", 12 * HOUR],
    ["24h", DAY],
    ["1d", DAY],
    ["7d", 7 * DAY],
    ["30d", 30 * DAY],
    ["90d", 90 * DAY],
    ["1y", 365 * DAY]
  ])("%s ends now; from a day on it begins with a quarter of an hour", (timeframe, length) => {
    const from = now - length
    expect(findSpan({ timeframe })).toEqual({ from: length < DAY ? from : nextQuarter(from), to: now })
  })

  test("is the last 24 hours by default, and 24 hours before a to without a from", () => {
    expect(findSpan({})).toEqual({ from: nextQuarter(now - DAY), to: now })
    const to = Date.parse("2025-06-02T00:00:00Z")
    expect(findSpan({ to: "2025-06-02T02:00:00+02:00" })).toEqual({ from: to - DAY, to })
    expect(findSpan({ from: "2025-06-02T00:00:00Z" })).toEqual({ from: to, to: now })
  })

  test("may be empty, but not end before its start", () => {
    expect(findSpan({ from: "2025-01-01T00:00:00Z", to: "2025-01-01T00:00:00Z" })).toBeDefined()
    expect(findDetails({ from: "2025-01-01T00:00:01Z", to: "2025-01-01T00:00:00Z" })).toEqual({
      from: "Must not be after `to`"
    })
    expect(findDetails({ from: "2126-01-01T00:00:00Z" })).toEqual({ from: "Must not be after `to`" })
  })

  test("excludes from and to together with a timeframe", () => {
    const message = "Must not be given together with timeframe"
    expect(findDetails({ timeframe: "1h", from: "2025-01-01T00:00:00Z", to: "2025-01-02T00:00:00Z" })).toEqual({
      from: message,
      to: message
    })
    expect(findDetails({ timeframe: "1h", to: "2025-01-02T00:00:00Z" })).toEqual({ to: message })
  })

  test("has hours up to 7 days, and days beyond", () => {
    expect(defaultPeriod({ from: 0, to: 7 * DAY })).toBe("hour")
    expect(defaultPeriod({ from: 0, to: 7 * DAY + 1 })).toBe("day")
  })
})
