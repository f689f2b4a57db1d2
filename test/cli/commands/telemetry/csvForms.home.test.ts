import { CsvProblem, splitCells } from "@edp/cli/kernel/csv"
import { addHour, homeReader, type FileReading } from "@edp/cli/commands/telemetry/csvForms"
import { describe, expect, it } from "vitest"

const cells = (line: string) => {
  const split = splitCells(line)
  if (split instanceof CsvProblem) throw new Error(split.takes)
  return split
}

const latest = Date.parse("2026-01-01T00:00:00Z")

const read = (lines: ReadonlyArray<string>) => {
  const reader = homeReader(latest)
  return lines.map((line, at) => reader(cells(line), at + 2))
}

const good = (lines: ReadonlyArray<string>) =>
  read(lines).flatMap((result) => {
    if (result instanceof CsvProblem) throw new Error(`${result.column}: ${result.takes}`)
    return [...result]
  })

const of = (device: string, readings: ReadonlyArray<FileReading>) =>
  readings.filter((reading) => reading.device === device).map(({ state, timestamp }) => ({ timestamp, ...state }))

const three = [
  "2025-06-21T11:00:00-08:00,500,2000",
  "2025-06-21T12:00:00-08:00,900,900",
  "2025-06-21T13:00:00-08:00,1200,200"
]

describe("the home form", () => {
  it("starts the counters of both devices at 0 at the start of the file, then reports at the end of each hour", () => {
    const readings = good(three)
    expect(of("inverter", readings)).toEqual([
      { timestamp: "2025-06-21T19:00:00.000Z", power: 0, lifetimeEnergyGenerated: 0 },
      { timestamp: "2025-06-21T20:00:00.000Z", power: 2000, lifetimeEnergyGenerated: 2000 },
      { timestamp: "2025-06-21T21:00:00.000Z", power: 900, lifetimeEnergyGenerated: 2900 },
      { timestamp: "2025-06-21T22:00:00.000Z", power: 200, lifetimeEnergyGenerated: 3100 }
    ])
    expect(of("meter", readings)).toEqual([
      { timestamp: "2025-06-21T19:00:00.000Z", power: 0, importedEnergy: 0, exportedEnergy: 0 },
      { timestamp: "2025-06-21T20:00:00.000Z", power: -1500, importedEnergy: 0, exportedEnergy: 1500 },
      { timestamp: "2025-06-21T21:00:00.000Z", power: 0, importedEnergy: 0, exportedEnergy: 1500 },
      { timestamp: "2025-06-21T22:00:00.000Z", power: 1000, importedEnergy: 1000, exportedEnergy: 1500 }
    ])
  })

  it("every reading has its line number", () => {
    expect(good(three).map(({ line }) => line)).toEqual([2, 2, 2, 2, 3, 3, 4, 4])
  })

  it("the counters end at the sums of the hours", () => {
    let counters = { generated: 0, imported: 0, exported: 0 }
    const hours = Array.from({ length: 8760 }, (_, at) => [(at * 7919) % 3000, (at * 104_729) % 4000] as const)
    for (const [load, solar] of hours) counters = addHour(counters, load, solar)
    const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
    expect(counters).toEqual({
      generated: sum(hours.map(([, solar]) => solar)),
      imported: sum(hours.map(([load, solar]) => Math.max(0, load - solar))),
      exported: sum(hours.map(([load, solar]) => Math.max(0, solar - load)))
    })
    expect(counters.imported - counters.exported).toBe(sum(hours.map(([load, solar]) => load - solar)))
  })

  it.each([
    ["yesterday,1,2", "interval_start", "a date-time"],
    ["2025-02-30T00:00:00Z,1,2", "interval_start", "a date-time"],
    ["1999-12-31T23:00:00Z,1,2", "interval_start", "a date-time of the year 2000 or later"],
    ["2025-12-31T23:00:01Z,1,2", "interval_start", "a date-time up to 2025-12-31T23:00:00.000Z"],
    ["2025-06-21T11:00:00-08:00,12x,2", "load_wh", "a whole number of Wh from 0 to 10000000"],
    ["2025-06-21T11:00:00-08:00,-1,2", "load_wh", "a whole number"],
    ["2025-06-21T11:00:00-08:00,1,2.5", "solar_wh", "a whole number"],
    ["2025-06-21T11:00:00-08:00,1,", "solar_wh", "a whole number"],
    ["2025-06-21T11:00:00-08:00,1,10000001", "solar_wh", "a whole number"],
    ["2025-06-21T11:00:00-08:00,1", "interval_start,load_wh,solar_wh", "exactly these three cells"]
  ])("%s is refused for its %s", (line, column, takes) => {
    const [result] = read([line])
    expect(result).toBeInstanceOf(CsvProblem)
    expect(result).toMatchObject({ column, takes: expect.stringContaining(takes) })
  })

  it("a missing hour is reported once", () => {
    const results = read([three[0] ?? "", three[2] ?? "", "2025-06-21T14:00:00-08:00,1,1"])
    expect(results.map((result) => result instanceof CsvProblem)).toEqual([false, true, false])
    expect(results[1]).toMatchObject({ takes: "the hour after the line before, 2025-06-21T20:00:00.000Z" })
  })

  it("a repeated hour is refused", () => {
    const [, again] = read([three[0] ?? "", three[0] ?? ""])
    expect(again).toMatchObject({ column: "interval_start" })
  })
})
