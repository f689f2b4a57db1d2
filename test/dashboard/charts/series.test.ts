import { annotationBand, commandBand } from "@edp/dashboard/charts/bands"
import { chartCsv } from "@edp/dashboard/charts/csv"
import { laidOver, type Point, type Series, seriesPatterns, valueAt } from "@edp/dashboard/charts/series"
import type { Command } from "@edp/domain/commands/Command"
import type { Annotation } from "@edp/domain/dashboard/Annotation"
import { describe, expect, test } from "vitest"

const MINUTE = 60_000
const from = Date.parse("2026-06-01T00:00:00Z")
const make = (kind: Series["kind"], points: ReadonlyArray<Point>, more: Partial<Series> = {}): Series => ({
  id: "power",
  name: "Power",
  unit: "W",
  color: 1,
  kind,
  points,
  ...more
})
const minutes = (...values: ReadonlyArray<number | null>) =>
  values.map((value, index): Point => [from + index * MINUTE, value])

describe("the value at the pointer", () => {
  const at = (series: Series, minute: number) => valueAt(series, from + minute * MINUTE)

  test("is that of the bucket of a bar, and of the nearest reading of a line", () => {
    expect([0, 0.9, 1].map((minute) => at(make("bar", minutes(1, 2)), minute))).toEqual([1, 1, 2])
    expect([0.4, 0.6].map((minute) => at(make("line", minutes(1, 2)), minute))).toEqual([1, 2])
  })

  test("is unknown before the first value, in a gap, and later than the last one holds", () => {
    const line = make("line", minutes(1, 2, null, 4))
    expect([-1, 2.2, 3.9, 4.1].map((minute) => at(line, minute))).toEqual([null, null, 4, null])
    expect(at(make("line", []), 0)).toBeNull()
  })
})

test("a period that is laid over is drawn at the times of the present one, within it", () => {
  const [line] = laidOver(
    [make("bar", minutes(1, 2, 3), { isDown: true, stack: "balance" })],
    (time) => time + MINUTE,
    { from, to: from + 3 * MINUTE },
    "May 31"
  )
  expect(line).toMatchObject({ name: "Power, May 31", kind: "step", isDown: true, isOverlay: true })
  expect(line!.stack).toBeUndefined()
  expect(line!.points.map(([time, value]) => [(time - from) / MINUTE, value])).toEqual([
    [1, 1],
    [2, 2]
  ])
})

test("the lines of a chart differ without their colours, also those of another period", () => {
  const lines = ["a", "b", "c"].map((id) => make("line", [], { id }))
  const others = lines.map(({ id }) => make("line", [], { id: `${id} before`, isOverlay: true }))
  expect(new Set(seriesPatterns([...lines, ...others]).values()).size).toBe(6)
})

test("the CSV has what the chart shows: the time within its axis, each series with its unit, empty cells for gaps of bars", () => {
  const csv = chartCsv({
    series: [make("bar", minutes(1, null, 3)), make("step", minutes(null, 5, 6, 7), { id: "other", name: "Other" })],
    from,
    to: from + 3 * MINUTE,
    timeZone: "Europe/Madrid"
  })
  expect(csv.split("\r\n")).toEqual([
    "time,Power (W),Other (W)",
    "2026-06-01T02:00:00.000+02:00,1,",
    "2026-06-01T02:01:00.000+02:00,,5",
    "2026-06-01T02:02:00.000+02:00,3,6",
    ""
  ])
})

describe("a band leads", () => {
  const words = {
    silence: "No communication",
    disconnected: "Disconnected",
    clock: "Clock change",
    dispatch: ({ name }: { name: string }) => `Dispatch ${name}`,
    command: ({ name }: { name: string }) => `Command: ${name}`
  }
  const span = { from: "2026-06-01T00:00:00.000Z", to: null }
  const link = (annotation: object, deviceId?: string) =>
    annotationBand({ ...span, deviceId: "d1", alertId: null, ...annotation } as unknown as Annotation, words, deviceId)
      .link

  test("to its alert, dispatch or disconnected device, unless its page shows the chart", () => {
    const alert = { to: "/dashboard/alerts", search: { alert: "a1", status: "all" } }
    expect(link({ kind: "alert", alertId: "a1", title: "Hot" })).toEqual(alert)
    expect(link({ kind: "outage", cause: "silence", alertId: "a1" })).toEqual(alert)
    expect(link({ kind: "dispatch", dispatchId: "x", name: "Call" })).toEqual({
      to: "/dashboard/dispatches/$id",
      params: { id: "x" }
    })
    const disconnected = { kind: "outage", cause: "disconnected" }
    expect(link(disconnected)).toEqual({ to: "/dashboard/devices/$id", params: { id: "d1" } })
    expect(link(disconnected, "d1")).toBeUndefined()
    expect(link({ kind: "clock_change" })).toBeUndefined()
  })

  test("to its command, whose band lasts until the settings are restored", () => {
    const command = { id: "c1", status: "completed", issuedAt: span.from, executedAt: span.from, revertAfter: 300 }
    expect(commandBand(command as Command, words, "Discharge")).toEqual({
      label: "Command: Discharge",
      state: "command",
      link: { to: "/dashboard/commands", search: { command: "c1" } },
      from,
      to: from + 5 * MINUTE
    })
    expect(commandBand({ ...command, status: "failed" } as Command, words, "Discharge").to).toBe(from)
  })
})
