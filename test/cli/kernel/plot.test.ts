import { renderDay, localDay } from "@edp/cli/commands/devices/history"
import { lineThrough, renderPlot, chooseScale, valueAt } from "@edp/cli/kernel/plot"
import { Option } from "effect"
import { CliOutput } from "effect/cli"
import { describe, expect, it } from "vitest"

const hour = 3_600_000
const day = Option.getOrThrow(localDay("2025-06-21", "UTC"))
const points = (values: ReadonlyArray<number>) => values.map((value, at) => ({ at: day.from + at * hour, value }))
const plot = (values: ReadonlyArray<number>, columns = 60, rows = 8) =>
  renderPlot({
    curve: lineThrough(points(values)),
    from: day.from,
    to: day.to,
    ticks: day.hours,
    unit: "W",
    columns,
    rows
  })
const flat = (value: number) => Array.from({ length: 25 }, () => value)
const sun = Array.from({ length: 25 }, (_, at) => (at < 6 || at > 18 ? 0 : 4000 * Math.sin(((at - 6) / 12) * Math.PI)))

const filled = (line: string) => [...line].filter((character) => character > "\u2800" && character <= "\u28FF").length

describe("the plot of a day", () => {
  it.each([40, 60, 80, 132])("fits a terminal of %d columns", (columns) => {
    const widths = plot(sun, columns)
      .split("\n")
      .map((line) => CliOutput.displayWidth(line))
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns)
    expect(Math.max(...widths)).toBeGreaterThan(columns - 5)
  })

  it("draws a second curve as a line over the area, to the same scale", () => {
    const lines = renderPlot({
      curve: lineThrough(points(flat(100))),
      line: lineThrough(points(flat(-250))),
      from: day.from,
      to: day.to,
      ticks: day.hours,
      unit: "W",
      columns: 60,
      rows: 12
    }).split("\n")
    const drawn = lines.filter((line) => /[▔━▁]{40,}/u.test(line))
    expect(drawn).toHaveLength(1)
    expect(lines.indexOf(drawn[0]!)).toBeGreaterThan(lines.findLastIndex((line) => filled(line) > 0))
    expect(lines.some((line) => line.startsWith("      -300 "))).toBe(true)
  })

  it("a constant fills the rows below it and none above", () => {
    const lines = plot(flat(300), 60, 8).split("\n").slice(1, -2)
    const { high, rows } = chooseScale([300], 8)
    const empty = rows * (1 - 300 / high)
    expect([high, rows, empty]).toEqual([400, 8, 2])
    expect(lines.map(filled)).toEqual([0, 0, 47, 47, 47, 47, 47, 47])
  })

  it("values below zero hang from the zero line", () => {
    const lines = plot([...flat(-500).slice(0, 24), 500], 60, 8)
      .split("\n")
      .slice(1, -2)
    const zero = lines.findIndex((line) => line.trimStart().startsWith("0 ┤"))
    expect(zero).toBe(4)
    expect(lines.map(filled).map((count) => count > 40)).toEqual(lines.map((_, row) => row >= zero))
  })

  it("the axes have a unit, round values and hours", () => {
    const lines = plot(sun).split("\n")
    expect(lines[0]?.trim()).toBe("kW")
    expect(lines.join("\n")).toMatch(/4 ┤/u)
    expect(lines.at(-2)).toMatch(/0 └┬─+/u)
    expect(lines.at(-1)?.trim().split(/\s+/u)).toEqual(["00", "03", "06", "09", "12", "15", "18", "21", "24"])
  })

  it("the curve has its maximum at noon", () => {
    const top =
      plot(sun)
        .split("\n")
        .find((line) => filled(line) > 0) ?? ""
    const at = [...top].findIndex((character) => character > "\u2800")
    expect(Math.abs(at - (12 + 47 / 2))).toBeLessThan(6)
  })

  it("a gap of more than 90 minutes stays empty", () => {
    const with4hGap = points([500, 500, 500, 500, 500, 500]).filter((_, at) => at === 0 || at === 1 || at === 5)
    expect(valueAt(with4hGap, day.from + hour / 2)).toBe(500)
    expect(valueAt(with4hGap, day.from + 3 * hour)).toBeUndefined()
    expect(valueAt(with4hGap, day.from + 5 * hour)).toBe(500)
    expect(valueAt(with4hGap, day.from + 6 * hour)).toBeUndefined()
  })

  it.each([[[0]], [[1]], [[-3]], [[12_345_678]], [[0.25, 0.5]], [[-7000, 9000]]])(
    "the scale of %j holds every value and zero, at round steps",
    (values) => {
      const { high, low, step } = chooseScale(values, 12)
      expect(low).toBeLessThanOrEqual(Math.min(0, ...values))
      expect(high).toBeGreaterThanOrEqual(Math.max(0, ...values))
      expect(high).toBeGreaterThan(low)
      expect([1, 2, 2.5, 5]).toContain(Number((step / 10 ** Math.floor(Math.log10(step))).toPrecision(2)))
    }
  )

  it("shows the energy of the day from the counters", () => {
    const readings = sun.map((power, at) => ({
      id: "x",
      createdAt: new Date(day.from + at * hour).toISOString(),
      power,
      lifetimeEnergyGenerated: 10_000 + at * 1000
    }))
    const text = renderDay({
      name: "Roof",
      type: "inverter",
      date: "2025-06-21",
      timezone: "UTC",
      day,
      readings,
      columns: 80
    })
    expect(text.split("\n")[0]).toBe("Roof, 2025-06-21 (UTC): power, W")
    expect(text.split("\n").at(-1)).toBe("24.00 kWh generated")
  })

  it("reports a day without readings", () => {
    const options = {
      name: "Roof",
      type: "meter",
      date: "2025-06-21",
      timezone: "UTC",
      day,
      readings: [],
      columns: 80
    } as const
    expect(renderDay(options)).toContain("No readings of power on this day.")
  })
})
