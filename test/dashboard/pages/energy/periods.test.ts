import { energyNames, type EnergySeries } from "@edp/dashboard/api/energy"
import { energyCsv } from "@edp/dashboard/pages/energy/csv"
import { formerPeriods, placeIn, yearBefore } from "@edp/dashboard/pages/energy/periods"
import { periodFromDay } from "@edp/dashboard/i18n/period"
import { describe, expect, test } from "vitest"

const zone = "America/Los_Angeles"
const QUARTER = 900_000

describe("the places of buckets within a period", () => {
  test("are all different on a day that has an hour twice, and the usual ones otherwise", () => {
    const day = periodFromDay("2025-11-02", "day", zone)!
    const usual = periodFromDay("2025-11-03", "day", zone)!
    const names = ({ from, to }: typeof day) => {
      const place = placeIn("day", zone)
      return Array.from({ length: (to - from) / QUARTER }, (_, index) => place(from + index * QUARTER))
    }
    expect(new Set(names(day)).size).toBe(100)
    expect(names(usual)).toHaveLength(96)
    expect(names(day).filter((name) => !names(usual).includes(name))).toEqual([
      "01:00 again",
      "01:15 again",
      "01:30 again",
      "01:45 again"
    ])
  })

  test("are days of the month, and days of the year", () => {
    const { from } = periodFromDay("2025-03-09", "day", zone)!
    expect(placeIn("month", zone)(from)).toBe("09")
    expect(placeIn("year", zone)(from)).toBe("03-09")
  })
})

describe("the period of the year before", () => {
  test("has the same date, and 28 February for 29 February", () => {
    expect(yearBefore(periodFromDay("2025-03-30", "day", "Europe/Madrid")!, "Europe/Madrid").day).toBe("2024-03-30")
    expect(yearBefore(periodFromDay("2024-02-29", "day", zone)!, zone).day).toBe("2023-02-28")
    expect(yearBefore(periodFromDay("2024-02-10", "month", zone)!, zone)).toEqual(
      periodFromDay("2023-02-01", "month", zone)
    )
  })

  test("is not shown twice for a year", () => {
    expect(formerPeriods(periodFromDay("2025-06-01", "year", zone)!, zone).map(({ period }) => period.day)).toEqual([
      "2024-01-01"
    ])
  })
})

test("a year that is still being typed is no period", () => {
  expect(periodFromDay("0002-03-01", "month", zone)).toBeUndefined()
  expect(periodFromDay("2025-03-01", "month", zone)?.day).toBe("2025-03-01")
})

test("the CSV of energies has local times and empty cells where nothing is known", () => {
  const { from } = periodFromDay("2025-06-21", "day", zone)!
  const known: EnergySeries = [{ from, to: from + QUARTER, value: 1.5, coverage: 1 }]
  const series = Object.fromEntries(
    energyNames.map((name) => [
      name,
      name === "load" ? known : known.map((each) => ({ ...each, value: null, coverage: 0 }))
    ])
  ) as Record<(typeof energyNames)[number], EnergySeries>
  const [header, row] = energyCsv({ series, refused: {}, asOf: null }, zone).split("\r\n")
  expect(header!.startsWith("from,to,generation_wh,generation_coverage,")).toBe(true)
  expect(row).toBe("2025-06-21T00:00:00.000-07:00,2025-06-21T00:15:00.000-07:00,,0,,0,1.5,1,,0,,0,,0,,0,,0")
})
