import { describe, expect, test } from "vitest"
import { addDuration, durationMillis, isDuration, toDuration } from "@edp/domain/openadr/durations"

const after = (start: string, duration: string) => {
  const end = addDuration(Date.parse(start), duration)
  return end === null ? null : new Date(end).toISOString()
}

describe("durations of ISO 8601", () => {
  test.each([
    ["2026-01-31T12:00:00Z", "P1M", "2026-02-28T12:00:00.000Z"],
    ["2028-01-31T12:00:00Z", "P1M", "2028-02-29T12:00:00.000Z"],
    ["2028-02-29T00:00:00Z", "P1Y", "2029-02-28T00:00:00.000Z"],
    ["2026-03-01T00:00:00Z", "-P1M", "2026-02-01T00:00:00.000Z"],
    ["2026-03-01T00:00:00Z", "P1W", "2026-03-08T00:00:00.000Z"],
    ["2026-03-01T00:00:00Z", "P1DT1H2M3.5S", "2026-03-02T01:02:03.500Z"],
    ["2026-03-01T00:00:00Z", "PT0S", "2026-03-01T00:00:00.000Z"]
  ])("%s and %s are %s", (start, duration, end) => {
    expect(after(start, duration)).toBe(end)
  })

  test("thousands of years have no end", () => {
    expect(after("2026-03-01T00:00:00Z", "P9999Y")).toBeNull()
    expect(durationMillis("P9999Y")).toBeNull()
  })

  test.each(["", "P", "PT", "1H", "PT1", "P1H", "PT1D", "PT-1H", "pt1h"])("%s is no duration", (text) => {
    expect(isDuration(text)).toBe(false)
  })

  test("seconds are written in the largest units", () => {
    expect([0, 59, 60, 3600, 5430, 90_000].map(toDuration)).toEqual([
      "PT0S",
      "PT59S",
      "PT1M",
      "PT1H",
      "PT1H30M30S",
      "PT25H"
    ])
  })
})
