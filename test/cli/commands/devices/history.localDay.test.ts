import { formatDay, localDay } from "@edp/cli/commands/devices/history"
import { Option } from "effect"
import { describe, expect, it } from "vitest"

const day = (date: string, timezone: string) => Option.getOrThrow(localDay(date, timezone))
const hours = (milliseconds: number) => milliseconds / 3_600_000

describe("a local day", () => {
  it("begins and ends at the midnights of its time zone", () => {
    const { from, to } = day("2025-06-21", "America/Los_Angeles")
    expect(new Date(from).toISOString()).toBe("2025-06-21T07:00:00.000Z")
    expect(new Date(to).toISOString()).toBe("2025-06-22T07:00:00.000Z")
  })

  it.each([
    ["2025-03-09", 23],
    ["2025-11-02", 25],
    ["2025-12-31", 24]
  ])("%s in Los Angeles has %d hours", (date, length) => {
    const { from, to } = day(date, "America/Los_Angeles")
    expect(hours(to - from)).toBe(length)
  })

  it("its ticks follow local time through a clock change", () => {
    const { from, hours: ticks } = day("2025-03-09", "America/Los_Angeles")
    expect(ticks.map(({ at, label }) => [label, hours(at - from)])).toEqual([
      ["00", 0],
      ["03", 2],
      ["06", 5],
      ["09", 8],
      ["12", 11],
      ["15", 14],
      ["18", 17],
      ["21", 20],
      ["24", 23]
    ])
  })

  it.each(["2025-02-30", "2025-13-01", "2025-00-10", "today", "2025-6-1", ""])("%j is not a day", (text) => {
    expect(Option.isNone(localDay(text, "UTC"))).toBe(true)
  })

  it("an unknown time zone has no days", () => {
    expect(Option.isNone(localDay("2025-06-21", "Nowhere/Land"))).toBe(true)
  })

  it("an instant is on the day of its time zone", () => {
    const instant = Date.parse("2025-06-21T02:00:00Z")
    expect(formatDay(instant, "America/Los_Angeles")).toBe("2025-06-20")
    expect(formatDay(instant, "Europe/Oslo")).toBe("2025-06-21")
  })
})
