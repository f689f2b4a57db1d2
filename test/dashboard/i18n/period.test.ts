import {
  chosenPeriod,
  DAY,
  formerPeriod,
  fromLocalText,
  inQuarters,
  movePeriod,
  type Period,
  periodFromDay,
  periodSearch,
  spanSearch,
  toLocalText
} from "@edp/dashboard/i18n/period"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

const zone = "America/Los_Angeles"
const HOUR = 3_600_000
const at = (local: string) => fromLocalText(local, zone)!
const local = (time: number) => toLocalText(time, zone)
const bounds = ({ from, to }: { readonly from: number; readonly to: number }) => [local(from), local(to)]

describe("the time that an address names", () => {
  // The day after the clocks went back.
  beforeEach(() => void vi.useFakeTimers({ now: at("2026-11-02T14:20") + 25_000, toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())

  test.each([
    ["1h", "2026-11-02T13:21", "2026-11-02T14:21"],
    ["6h", "2026-11-02T08:21", "2026-11-02T14:21"],
    ["7d", "2026-10-27T00:00", "2026-11-03T00:00"],
    ["30d", "2026-10-04T00:00", "2026-11-03T00:00"],
    ["day", "2026-11-02T00:00", "2026-11-03T00:00"],
    ["week", "2026-11-02T00:00", "2026-11-09T00:00"],
    ["month", "2026-11-01T00:00", "2026-12-01T00:00"]
  ] as const)("%s is a time of the site's clock", (unit, from, to) => {
    expect(bounds(chosenPeriod({ unit }, zone))).toEqual([from, to])
  })

  test("a span is kept by its link, widened to whole minutes", () => {
    const search = spanSearch(at("2026-10-31T23:00") + 1, at("2026-11-01T05:00") - 1)
    expect(search.from).toBe("2026-11-01T06:00Z")
    const period = chosenPeriod(search, zone)
    expect(bounds(period)).toEqual(["2026-10-31T23:00", "2026-11-01T05:00"])
    expect(periodSearch(period)).toEqual(search)
  })

  test.each([
    { from: "2026-11-02T00:00Z", to: "2026-11-01T00:00Z" },
    { from: "yesterday", to: "2026-11-01T00:00Z" },
    { from: "2024-11-01T00:00Z", to: "2026-11-01T00:00Z" },
    {}
  ])("the present day is shown instead of the span %o", (search) => {
    expect(bounds(chosenPeriod({ unit: "span", ...search }, zone))).toEqual(["2026-11-02T00:00", "2026-11-03T00:00"])
  })

  test("the queries of the last hour stay the same for a quarter of an hour", () => {
    expect(bounds(inQuarters(chosenPeriod({ unit: "1h" }, zone)))).toEqual(["2026-11-02T13:15", "2026-11-02T14:30"])
  })

  test("a step back from the last hour is the hour before", () => {
    const before = movePeriod(chosenPeriod({ unit: "1h" }, zone), -1, zone)
    expect([before.unit, ...bounds(before)]).toEqual(["span", "2026-11-02T12:21", "2026-11-02T13:21"])
  })
})

describe("the period that is laid over", () => {
  const day = (date: string): Period => periodFromDay(date, "day", zone)!

  test("is aligned by the clock, also where the clocks changed between", () => {
    const former = formerPeriod(day("2026-11-02"), "day", zone)!
    expect(former.period.to - former.period.from).toBe(25 * HOUR)
    expect(local(former.align(at("2026-11-01T18:30")))).toBe("2026-11-02T18:30")
    expect(local(former.align(at("2026-11-01T00:30")))).toBe("2026-11-02T00:30")
  })

  test("is the same day of the week before, or a date", () => {
    expect(formerPeriod(day("2026-11-28"), "week", zone)!.period.day).toBe("2026-11-21")
    const chosen = formerPeriod(day("2026-11-28"), "2026-03-01", zone)!
    expect(chosen.period.day).toBe("2026-03-01")
    expect(local(chosen.align(at("2026-03-01T09:00")))).toBe("2026-11-28T09:00")
  })

  test("for a month is aligned by its days, of which a longer month has some outside", () => {
    const february = periodFromDay("2026-02-01", "month", zone)!
    const former = formerPeriod(february, "before", zone)!
    expect(bounds(former.period)).toEqual(["2026-01-01T00:00", "2026-02-01T00:00"])
    expect(local(former.align(at("2026-01-28T00:00")))).toBe("2026-02-28T00:00")
    expect(former.align(at("2026-01-29T00:00"))).toBe(february.to)
  })

  test("for a span is the one before it, or the same hours a week before", () => {
    const span = chosenPeriod(spanSearch(at("2026-11-28T09:00"), at("2026-11-28T12:00")), zone)
    expect(bounds(formerPeriod(span, "before", zone)!.period)).toEqual(["2026-11-28T06:00", "2026-11-28T09:00"])
    const week = formerPeriod(span, "week", zone)!
    expect(bounds(week.period)).toEqual(["2026-11-21T09:00", "2026-11-21T12:00"])
    expect(week.align(week.period.from)).toBe(span.from)
  })

  test.each(["month", "2026-11-28", "soon", undefined])("is none for %o", (over) => {
    expect(formerPeriod(day("2026-11-28"), over, zone)).toBeUndefined()
  })

  test("for the last 30 days is the 30 days before", () => {
    const to = at("2026-11-29T00:00")
    const last: Period = { unit: "30d", from: at("2026-10-30T00:00"), to, day: "2026-10-30" }
    expect(bounds(formerPeriod(last, "before", zone)!.period)).toEqual(["2026-09-30T00:00", "2026-10-30T00:00"])
    expect(to - last.from).toBe(30 * DAY + HOUR)
  })
})
