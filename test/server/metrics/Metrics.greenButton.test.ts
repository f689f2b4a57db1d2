import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  greenButtonFeed,
  RECEIVED,
  run,
  seconds,
  type FeedReading
} from "../../adapter-kit/green-button/greenButtonFeed.ts"
import { makeCli } from "../../cli/realService.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, iso } from "./arrangeMetrics.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-green-button-"))
afterAll(() => rmSync(folder, { recursive: true }))

const timezone = "America/Los_Angeles"
const values = (count: number, step: number) => Array.from({ length: count }, (_, at) => (at * step) % 1207)
const total = (readings: ReadonlyArray<FeedReading>) => readings.reduce((sum, { value = 0 }) => sum + value, 0)

// Clocks go back on 2 November and forward on 9 March.
const autumn = { from: seconds("2025-11-01T07:00:00Z"), to: seconds("2025-11-04T08:00:00Z") }
const spring = { from: seconds("2025-03-08T08:00:00Z"), to: seconds("2025-03-11T07:00:00Z") }
const days = {
  autumn: ["2025-11-01T07:00:00Z", "2025-11-02T07:00:00Z", "2025-11-03T08:00:00Z", "2025-11-04T08:00:00Z"].map(seconds),
  spring: ["2025-03-08T08:00:00Z", "2025-03-09T08:00:00Z", "2025-03-10T07:00:00Z", "2025-03-11T07:00:00Z"].map(seconds)
}

const imports = run(autumn.from, 900, values((autumn.to - autumn.from) / 900, 211))
const exports = run(autumn.from, 900, values((autumn.to - autumn.from) / 900, 97)).map((reading, at) =>
  at % 2 === 0 ? reading : { ...reading, value: 0 }
)
// Three hours of the last day are missing.
const present = (readings: ReadonlyArray<FeedReading>) =>
  readings.filter(({ start = 0 }) => start < days.autumn[2]! + 4 * 3600 || start >= days.autumn[2]! + 7 * 3600)
const asDays = days.spring.slice(0, -1).map((start, at) => ({
  start,
  duration: days.spring[at + 1]! - start,
  value: 10_001 + at
}))

const files = {
  net: greenButtonFeed({
    name: "net",
    series: [{ blocks: [present(imports)] }, { type: RECEIVED, blocks: [present(exports)] }]
  }),
  days: greenButtonFeed({ name: "days", series: [{ blocks: [asDays] }] })
}

let on: Awaited<ReturnType<typeof arrangeMetrics>>
const devices = new Map<string, string>()
beforeAll(async () => {
  on = await arrangeMetrics(app)
  const edp = makeCli(app, on)
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, `${name}.xml`)
    writeFileSync(path, text)
    const at = ["--address", `${name.length} Capitol Mall, Sacramento, CA 95814`, "--timezone", timezone]
    const imported = await edp("telemetry", "import", path, "--provision", ...at, "--json")
    expect(imported.code, imported.stderr).toBe(0)
    const { files: results } = imported.json()
    expect(results[0]).toMatchObject({ refused: 0, duplicates: 0, accepted: results[0].readings })
    devices.set(name, results[0].devices[0].id)
    const again = await edp("telemetry", "import", path, "--json")
    expect(again.json()).toMatchObject({ accepted: 0, duplicates: results[0].readings })
  }
})

const read = async (
  metric: "consumption" | "production",
  name: string,
  period: string,
  [from, to]: ReadonlyArray<number>
) =>
  (
    await on.read(metric, {
      deviceId: devices.get(name)!,
      period,
      timezone,
      from: iso(from! * 1000),
      to: iso(to! * 1000)
    })
  ).data

const within = (readings: ReadonlyArray<FeedReading>, from: number, to: number) =>
  total(readings.filter(({ start = 0 }) => start >= from && start < to))

describe("the energies of a meter that was imported from a Green Button file", () => {
  test.each([
    ["consumption", imports],
    ["production", exports]
  ] as const)("%s by the day is that of the file, to the Wh, also on the day of 25 hours", async (metric, readings) => {
    const found = await read(metric, "net", "day", [autumn.from, autumn.to])
    const expected = days.autumn.slice(0, -1).map((from, at) => within(present(readings), from, days.autumn[at + 1]!))
    expect(found.map(({ value }) => Math.round(value!))).toEqual(expected)
    expect(found.map(({ coverage }) => coverage)).toEqual([1, 1, 0.875])
  })

  test("consumption by the hour and by the quarter of an hour is that of the file", async () => {
    for (const [period, length] of [
      ["hour", 3600],
      ["15m", 900]
    ] as const) {
      const found = await read("consumption", "net", period, [days.autumn[0]!, days.autumn[1]!])
      const expected = found.map((_, at) =>
        within(imports, days.autumn[0]! + at * length, days.autumn[0]! + (at + 1) * length)
      )
      expect(found.map(({ value }) => Math.round(value!))).toEqual(expected)
    }
  })

  test("energies are null in a gap of the file", async () => {
    const gap = [days.autumn[2]! + 4 * 3600, days.autumn[2]! + 7 * 3600]
    for (const metric of ["consumption", "production"] as const) {
      expect(await read(metric, "net", "hour", gap)).toMatchObject(
        [1, 2, 3].map(() => ({ value: null, coverage: 0, reason: "not_measured" }))
      )
    }
  })

  test("intervals of a day give its energy, also on the day of 23 hours", async () => {
    const found = await read("consumption", "days", "day", [spring.from, spring.to])
    expect(found.map(({ coverage, value }) => [Math.round(value!), coverage])).toEqual([
      [10_001, 1],
      [10_002, 1],
      [10_003, 1]
    ])
  })
})
