import { timeTicks } from "@edp/dashboard/charts/ticks"
import { type Point, withSilences } from "@edp/dashboard/charts/series"
import { fileName } from "@edp/dashboard/kit/download"
import { readingsCsv } from "@edp/dashboard/pages/device/csv"
import { coveragePoints, isPartly, total } from "@edp/dashboard/pages/device/energy"
import { direction, stateFields } from "@edp/dashboard/pages/device/fields"
import { chartSeries, historyCharts, metricCharts, withNewer } from "@edp/dashboard/pages/device/history"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { readingSchemas, type RecordedFields } from "@edp/domain/devices/DeviceState"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { MetricPoint, MetricSeries } from "@edp/domain/metrics/MetricSeries"
import { describe, expect, it } from "vitest"

const minute = 60_000
const hour = 60 * minute
const noon = Date.parse("2026-03-01T12:00:00Z")
const iso = (time: number) => new Date(time).toISOString()
const steady = (from: number, count: number, every: number): ReadonlyArray<Point> =>
  Array.from({ length: count }, (_, index) => [from + index * every, index])
const gaps = (points: ReadonlyArray<Point>) => points.filter(([, value]) => value === null).map(([time]) => time)

describe("the line of a device's readings", () => {
  it("is broken where a device that reports by the minute is silent for ten", () => {
    const points = [...steady(noon, 30, minute), ...steady(noon + 40 * minute, 30, minute)]
    expect(gaps(withSilences(points))).toEqual([noon + 29 * minute + 1])
  })

  it("is whole where a device reports by the quarter of an hour, and where it begins to report by the minute", () => {
    const points = [...steady(noon, 20, 15 * minute), ...steady(noon + 5 * hour, 60, minute)]
    expect(gaps(withSilences(points))).toEqual([])
  })

  it("is broken at a reading without the field", () => {
    const readings = [1, undefined, 3].map((power, index) => ({
      id: String(index),
      createdAt: iso(noon + index * minute),
      ...(power !== undefined && { power })
    })) as unknown as ReadonlyArray<RecordedFields>
    const [chart] = historyCharts("meter", readings)
    expect(chartSeries(chart!, readings, String)[0]!.points.map(([, value]) => value)).toEqual([1, null, 3])
  })

  it("goes on with the states that come in, each once and within the chosen time", () => {
    const reading = (time: number) => ({ id: iso(time), createdAt: iso(time) }) as unknown as RecordedFields
    const read = [reading(noon), reading(noon + minute)]
    const newer = [noon + minute, noon + 2 * minute, noon + 2 * hour].map(reading)
    const time = { from: noon - hour, to: noon + hour }
    expect(withNewer(read, newer, time).map(({ createdAt }) => createdAt)).toEqual(
      [noon, noon + minute, noon + 2 * minute].map(iso)
    )
    expect(withNewer([], [reading(noon - 2 * hour)], time)).toEqual([])
  })
})

describe("the state of a device", () => {
  it.each(deviceTypes.filter((type) => type !== "other" && type !== "unknown"))(
    "of the type %s has every field of the contract",
    (type) => {
      const shown = stateFields(type, {}).map(({ name }) => name)
      const fields = Object.keys((readingSchemas[type] as unknown as { readonly fields: object }).fields)
      expect(shown.toSorted()).toEqual(fields.toSorted())
    }
  )

  it("has the fields that its source chose, and those of a newer service", () => {
    expect(stateFields("other", { id: "a", createdAt: iso(noon), flow: 1, valve: true })).toEqual([
      { kind: "quantity", name: "flow", unit: "" },
      { kind: "flag", name: "valve" }
    ])
    expect(stateFields("meter", { power: 1, phase: "L1" }).at(-1)).toEqual({ kind: "word", name: "phase" })
  })

  it("names the direction of signed powers", () => {
    expect(direction("battery", "chargeRate", 500)).toBe("discharging")
    expect(direction("battery", "chargeRate", -500)).toBe("charging")
    expect(direction("meter", "power", -800)).toBe("exporting")
    expect(direction("inverter", "gridPower", 800)).toBe("importing")
    expect(direction("inverter", "power", 800)).toBeUndefined()
  })
})

const series = (metric: MetricName, points: ReadonlyArray<Partial<MetricPoint>>): MetricSeries => ({
  data: points.map((point, index) => ({ timestamp: iso(noon + index * hour), value: null, coverage: 1, ...point })),
  meta: {
    metric,
    unit: "Wh",
    period: "hour",
    from: iso(noon),
    to: iso(noon + points.length * hour),
    aggregation: "sum",
    timezone: "UTC",
    asOf: null
  }
})

describe("the charts of a longer time", () => {
  const later = noon + 10 * hour

  it("have the mean power of each hour with the sign of the readings, and nothing where a half of it is unknown", () => {
    const metrics = {
      production: series("production", [{ value: 1000 }, { value: 0 }, { value: 5 }]),
      consumption: series("consumption", [{ value: 0 }, { value: 3000 }, {}])
    }
    const [power] = metricCharts("battery", metrics, String, later)
    expect(power!.series[0]!.points.map(([, value]) => value)).toEqual([1000, -3000, null, null])
  })

  it("leave out the power of the running hour", () => {
    const [power] = metricCharts(
      "meter",
      { grid: series("grid", [{ value: 500 }, { value: 9 }]) },
      String,
      noon + 1.5 * hour
    )
    expect(power!.series[0]!.points.map(([, value]) => value)).toEqual([500, null, null])
  })
})

describe("an energy", () => {
  const partly = series("grid", [
    { value: 100, coverage: 1 },
    { value: 10, coverage: 0.5 },
    { coverage: 0, reason: "future" }
  ])

  it("has the coverage of the time until now", () => {
    expect(total(partly, noon + 1.5 * hour)).toMatchObject({ value: 110, coverage: 1 })
    expect(total(partly, noon + 2 * hour).coverage).toBe(0.75)
  })

  it("without a value has the reason", () => {
    const unknown = series("grid", [{ coverage: 0, reason: "not_measured" }])
    expect(total(unknown, noon + hour)).toEqual({ value: null, coverage: 0, reason: "not_measured" })
  })

  it("counts as partly measured only where the time that has passed was not", () => {
    expect(isPartly(partly, noon + 1.5 * hour)).toBe(false)
    expect(isPartly(partly, noon + 2 * hour)).toBe(true)
    expect(coveragePoints(partly, noon + 2 * hour).map(([, share]) => share)).toEqual([100, 50, null])
  })
})

describe("the ticks of a chart", () => {
  const local = (timeZone: string) => (time: number) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", hour: "2-digit", minute: "2-digit" }).format(time)

  it("are at the midnights of the site", () => {
    const from = Date.parse("2026-11-16T08:00:00Z")
    expect(timeTicks(from, from + 7 * 24 * hour, "America/Los_Angeles").map(local("America/Los_Angeles"))).toEqual(
      [16, 17, 18, 19, 20, 21, 22, 23].map((day) => `${day}, 00:00`)
    )
  })

  it("are at the same hours on a day on which the clocks change", () => {
    const from = Date.parse("2026-03-08T08:00:00Z")
    expect(timeTicks(from, from + 23 * hour, "America/Los_Angeles").map(local("America/Los_Angeles"))).toEqual([
      "8, 00:00",
      "8, 04:00",
      "8, 08:00",
      "8, 12:00",
      "8, 16:00",
      "8, 20:00",
      "9, 00:00"
    ])
  })
})

describe("the CSV of a history", () => {
  it("has each field that a reading has, with its unit, and no cell that a spreadsheet would compute", () => {
    const readings = [
      { id: "1", createdAt: iso(noon), power: 1, note: "=1+1" },
      { id: "2", createdAt: iso(noon + minute), power: null, isOn: true }
    ] as unknown as ReadonlyArray<RecordedFields>
    expect(readingsCsv("inverter", readings)).toBe(
      `timestamp,power (W),note,isOn\r\n${iso(noon)},1,'=1+1,\r\n${iso(noon + minute)},,,true\r\n`
    )
  })

  it("has a name that file systems take", () => {
    expect(fileName("Garage: battery/2 2026-03-01")).toBe("Garage-battery-2-2026-03-01")
  })
})
