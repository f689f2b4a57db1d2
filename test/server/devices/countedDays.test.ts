import { countable, nextDays, partsOf } from "@edp/server/devices/countedDays"
import { beginningOf } from "@edp/server/devices/historySpan"
import { describe, expect, test } from "vitest"

const at = (text: string) => Date.parse(`${text}Z`)
const span = (from: string, to: string) => ({ from: at(from), to: at(to) })
const midnight = (day: string) => `${day}T00:00:00`

describe("the parts of a span", () => {
  const asked = span("2026-01-10T08:00:00", "2026-03-05T20:00:00")

  test("are its whole days that are counted, and what is before and after them", () => {
    expect(partsOf(asked, at(midnight("2026-03-01")))).toEqual({
      counted: span(midnight("2026-01-11"), midnight("2026-03-01")),
      rest: [span("2026-01-10T08:00:00", midnight("2026-01-11")), span(midnight("2026-03-01"), "2026-03-05T20:00:00")]
    })
  })

  test("have only whole days, also where counting ends in the middle of one or behind the span", () => {
    expect(partsOf(asked, at("2026-02-03T04:05:06")).counted.to).toBe(at(midnight("2026-02-03")))
    expect(partsOf(asked, at(midnight("2027-01-01"))).counted.to).toBe(at(midnight("2026-03-05")))
  })

  test.each([null, at("2020-01-01T00:00:00"), asked.from, at("2026-01-11T23:59:59")])(
    "are the span itself where nothing of it is counted: %s",
    (counted) => {
      const { counted: days, rest } = partsOf(asked, counted)
      expect(days.from).toBe(days.to)
      expect(rest[0]).toEqual(asked)
      expect(rest[1].from).toBe(rest[1].to)
    }
  )

  test("of a few hours have no whole day", () => {
    const { counted } = partsOf(span("2026-01-10T08:00:00", "2026-01-10T09:00:00"), at(midnight("2027-01-01")))
    expect(counted.from).toBe(counted.to)
  })

  test("of exactly a day are that day", () => {
    const day = span(midnight("2026-01-10"), midnight("2026-01-11"))
    expect(partsOf(day, day.to).counted).toEqual(day)
  })
})

describe("the next days to count", () => {
  const until = at(midnight("2026-03-05"))

  test("are whole, in one month, and at most so many", () => {
    expect(nextDays(at("2026-01-10T08:00:00"), until, 31)).toEqual(span(midnight("2026-01-10"), midnight("2026-02-01")))
    expect(nextDays(at(midnight("2026-02-01")), until, 4)).toEqual(span(midnight("2026-02-01"), midnight("2026-02-05")))
    expect(nextDays(at(midnight("2026-03-01")), until, 31)).toEqual({ from: at(midnight("2026-03-01")), to: until })
  })

  test("are none once all are counted", () => {
    expect(nextDays(until, until, 31)).toBeUndefined()
    expect(nextDays(at("2026-03-05T08:00:00"), until, 31)).toBeUndefined()
  })

  test("end with the day that ended an hour ago", () => {
    expect(countable(at("2026-03-05T01:00:00"))).toBe(until)
    expect(countable(at("2026-03-05T00:59:59"))).toBe(at(midnight("2026-03-04")))
  })
})

describe("the beginning of a span", () => {
  const asked = span("2025-11-10T08:00:00", "2026-03-01T00:00:00")

  test("is its last months when it is read backwards", () => {
    expect(beginningOf(asked, "desc", 1)).toEqual(span(midnight("2026-02-01"), midnight("2026-03-01")))
    expect(beginningOf(asked, "desc", 3)).toEqual(span(midnight("2025-12-01"), midnight("2026-03-01")))
    expect(beginningOf(asked, "desc", 9)).toEqual(asked)
  })

  test("is its first months when it is read forwards", () => {
    expect(beginningOf(asked, "asc", 1)).toEqual(span("2025-11-10T08:00:00", midnight("2025-12-01")))
    expect(beginningOf(asked, "asc", 9)).toEqual(asked)
  })
})
