import { formatDay, isFederalHoliday, makeCalendar, toDayNumber } from "@edp/server/dispatches/baselines/holidays"
import { describe, expect, test } from "vitest"
import { federalHolidays } from "./federalHolidays.ts"

const [first, last] = [toDayNumber("2020-01-01"), toDayNumber("2027-12-31")]

describe("federal holidays of the USA", () => {
  test("are exactly the days on which the Office of Personnel Management observes them, from 2020 to 2027", () => {
    const days = Array.from({ length: last - first + 1 }, (_, n) => first + n)
    expect(days.filter(isFederalHoliday).map(formatDay)).toEqual(federalHolidays)
  })
})

describe("the type of a day", () => {
  test.each([
    ["2026-07-02", "weekday"],
    ["2026-07-03", "weekend"],
    ["2026-07-04", "weekend"],
    ["2026-07-05", "weekend"],
    ["2026-07-06", "weekday"]
  ])("%s is a %s with federal holidays", (date, type) => {
    expect(makeCalendar("us-federal")(toDayNumber(date))).toBe(type)
  })

  test("is that of the week without holidays, except for the dates that are given", () => {
    const calendar = makeCalendar("none", ["2026-07-01"])
    expect(["2026-07-01", "2026-07-02", "2026-07-03", "2026-07-04"].map(toDayNumber).map(calendar)).toEqual([
      "weekend",
      "weekday",
      "weekday",
      "weekend"
    ])
  })
})
