import { countable, nextHours, splitSpan, findSlot, withHours } from "@edp/server/readings/history/countedHours"
import { firstMonths } from "@edp/server/readings/history/historyPage"
import { describe, expect, test } from "vitest"

const at = (text: string) => Date.parse(`${text}Z`)
const span = (from: string, to: string) => ({ from: at(from), to: at(to) })
const midnight = (day: string) => `${day}T00:00:00`

describe("the parts of a span", () => {
  const asked = span("2026-01-10T08:20:00", "2026-03-05T20:40:00")

  test("are its counted whole hours, and the rest before and after them", () => {
    expect(splitSpan(asked, at(midnight("2026-03-01")))).toEqual({
      counted: span("2026-01-10T09:00:00", midnight("2026-03-01")),
      rest: [span("2026-01-10T08:20:00", "2026-01-10T09:00:00"), span(midnight("2026-03-01"), "2026-03-05T20:40:00")]
    })
  })

  test("have only whole hours, even if counting ends within an hour or after the span", () => {
    expect(splitSpan(asked, at("2026-02-03T04:05:06")).counted.to).toBe(at("2026-02-03T04:00:00"))
    expect(splitSpan(asked, at(midnight("2027-01-01"))).counted.to).toBe(at("2026-03-05T20:00:00"))
  })

  test.each([null, at("2020-01-01T00:00:00"), asked.from, at("2026-01-10T09:59:59")])(
    "are the span itself if nothing of it is counted: %s",
    (counted) => {
      const { counted: hours, rest } = splitSpan(asked, counted)
      expect(hours.from).toBe(hours.to)
      expect(rest[0]).toEqual(asked)
      expect(rest[1].from).toBe(rest[1].to)
    }
  )

  test("have no whole hour in a few minutes", () => {
    const { counted } = splitSpan(span("2026-01-10T08:10:00", "2026-01-10T08:50:00"), at(midnight("2027-01-01")))
    expect(counted.from).toBe(counted.to)
  })

  test("are one hour in exactly an hour", () => {
    const hour = span("2026-01-10T08:00:00", "2026-01-10T09:00:00")
    expect(splitSpan(hour, hour.to).counted).toEqual(hour)
  })
})

describe("the next hours to count", () => {
  const until = at("2026-03-05T17:00:00")

  test("are whole, in one month, and at most the requested number", () => {
    expect(nextHours(at("2026-01-10T08:20:00"), until, 744)).toEqual(
      span("2026-01-10T08:00:00", midnight("2026-02-01"))
    )
    expect(nextHours(at(midnight("2026-02-01")), until, 96)).toEqual(
      span(midnight("2026-02-01"), midnight("2026-02-05"))
    )
    expect(nextHours(at(midnight("2026-03-01")), until, 744)).toEqual({ from: at(midnight("2026-03-01")), to: until })
  })

  test("are empty once all are counted", () => {
    expect(nextHours(until, until, 744)).toBeUndefined()
    expect(nextHours(at("2026-03-05T17:30:00"), until, 744)).toBeUndefined()
  })

  test("end with the hour that ended five minutes ago", () => {
    expect(countable(at("2026-03-05T17:05:00"))).toBe(until)
    expect(countable(at("2026-03-05T17:04:59"))).toBe(at("2026-03-05T16:00:00"))
  })
})

describe("the numbers of a month", () => {
  const month = at(midnight("2026-03-01"))
  const hour = (hours: number) => month + hours * 3_600_000

  test("are stored at the end of the previous hour, in its month", () => {
    expect(findSlot(hour(1))).toEqual({ month, hours: 1 })
    expect(findSlot(month)).toEqual({ month: at(midnight("2026-02-01")), hours: 28 * 24 })
  })

  test("continue from those before them", () => {
    expect(withHours({ earlier: 7, hours: [1, 3] }, hour(2), [5, 0, 2])).toEqual({
      earlier: 7,
      hours: [1, 3, 8, 8, 10]
    })
  })

  test("replace earlier counts", () => {
    expect(withHours({ earlier: 7, hours: [1, 3, 8, 9] }, hour(1), [4])).toEqual({ earlier: 7, hours: [1, 5] })
  })

  test("begin with the hour of the first reading", () => {
    expect(withHours({ earlier: 0, hours: [] }, hour(3), [4, 1])).toEqual({ earlier: 0, hours: [0, 0, 0, 4, 5] })
  })
})

describe("the beginning of a span", () => {
  const asked = span("2025-11-10T08:00:00", "2026-03-01T00:00:00")

  test("is its last months in descending order", () => {
    expect(firstMonths(asked, "desc", 1)).toEqual(span(midnight("2026-02-01"), midnight("2026-03-01")))
    expect(firstMonths(asked, "desc", 3)).toEqual(span(midnight("2025-12-01"), midnight("2026-03-01")))
    expect(firstMonths(asked, "desc", 9)).toEqual(asked)
  })

  test("is its first months in ascending order", () => {
    expect(firstMonths(asked, "asc", 1)).toEqual(span("2025-11-10T08:00:00", midnight("2025-12-01")))
    expect(firstMonths(asked, "asc", 9)).toEqual(asked)
  })
})
