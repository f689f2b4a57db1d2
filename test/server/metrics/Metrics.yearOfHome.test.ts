import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { beforeAll, describe, expect, test } from "vitest"
import { makeCli } from "../../cli/realService.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, HOUR, iso } from "./arrangeMetrics.ts"
import { periodAt } from "./wallClock.ts"

const app = useTestApp()
const file = fileURLToPath(new URL("../../../examples/sample-home/home.csv", import.meta.url))
const rows = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(","))
  .map(([start, load, solar]) => ({ start: Date.parse(start!), load: Number(load), solar: Number(solar) }))
const [from, to] = [rows[0]!.start, rows.at(-1)!.start + HOUR]
const middle = rows[rows.length / 2]!.start

/** The table's value of each metric in an hour. */
const tableValues = {
  generation: ({ solar }: (typeof rows)[number]) => solar,
  load: ({ load }: (typeof rows)[number]) => load,
  grid: ({ load, solar }: (typeof rows)[number]) => load - solar
} as const

/** The table's sums by the period of a time zone. */
const sums = (metric: keyof typeof tableValues, period: Period, timezone: string) => {
  const found = new Map<string, number>()
  for (const row of rows) {
    const key = periodAt(period, row.start, timezone)
    found.set(key, (found.get(key) ?? 0) + tableValues[metric](row))
  }
  return [...found]
}

let on: Awaited<ReturnType<typeof arrangeMetrics>>
let site: string
beforeAll(async () => {
  on = await arrangeMetrics(app)
  const imported = await makeCli(app, on)("telemetry", "import", file, "--provision", "--json")
  expect(imported.code, imported.stderr).toBe(0)
  site = imported.json().files[0].siteId
})

const read = async (metric: MetricName, period: Period, timezone: string) => {
  // A year has more hours than a series has points.
  const halves =
    period === "hour"
      ? [
          [from, middle],
          [middle, to]
        ]
      : [[from, to]]
  const found = await Promise.all(
    halves.map(([begin, end]) => on.read(metric, { siteId: site, period, timezone, from: iso(begin!), to: iso(end!) }))
  )
  return found.flatMap(({ data }) => data)
}

describe("a year of a home that was imported from its table", () => {
  describe.each(["UTC", "America/Los_Angeles"])("in %s", (timezone) => {
    test.each([
      ["generation", "hour"],
      ["generation", "day"],
      ["generation", "week"],
      ["generation", "month"],
      ["generation", "year"],
      ["load", "hour"],
      ["load", "day"],
      ["load", "month"],
      ["load", "year"],
      ["grid", "hour"],
      ["grid", "day"],
      ["grid", "month"],
      ["grid", "year"]
    ] as const)("has the %s of the table to the Wh by the %s", async (metric, period) => {
      const points = await read(metric, period, timezone)
      const found = points.map(({ timestamp, value }) => [periodAt(period, Date.parse(timestamp), timezone), value])
      expect(found).toEqual(sums(metric, period, timezone))
      expect(new Set(points.map(({ coverage }) => coverage))).toEqual(new Set([1]))
    })
  })

  test("has 23 and 25 hours on the days of clock changes, and the sums of the table", async () => {
    for (const [day, hours] of [
      ["2025-03-09", 23],
      ["2025-11-02", 25]
    ] as const) {
      const within = rows.filter(({ start }) => periodAt("day", start, "America/Los_Angeles") === day)
      expect(within).toHaveLength(hours)
      const span = { from: iso(within[0]!.start), to: iso(within.at(-1)!.start + HOUR) }
      const query = { ...span, siteId: site, timezone: "America/Los_Angeles" }
      expect(await on.values("load", { ...query, period: "hour" })).toEqual(within.map(({ load }) => load))
      expect(await on.values("load", { ...query, period: "day" })).toEqual([
        within.reduce((sum, { load }) => sum + load, 0)
      ])
    }
  })

  test("has production equal to generation, consumption equal to load, and no storage", async () => {
    for (const [metric, as] of [
      ["production", "generation"],
      ["consumption", "load"]
    ] as const) {
      expect(await read(metric, "month", "UTC")).toEqual(await read(as, "month", "UTC"))
    }
    expect((await read("storage", "year", "UTC")).map(({ value }) => value)).toEqual([null, null])
    expect((await read("charging", "year", "UTC")).map(({ value }) => value)).toEqual([null, null])
  })
})
