import { afterEach, describe, expect, it, vi } from "vitest"
import { chartOption } from "@edp/dashboard/charts/chartOption"
import { timeTicks } from "@edp/dashboard/charts/ticks"
import type { Band, Point, Series } from "@edp/dashboard/charts/series"

const HOUR = 3_600_000
const from = Date.parse("2026-06-01T00:00:00Z")

const series = (kind: Series["kind"], points: ReadonlyArray<Point>): Series => ({
  id: "power",
  name: "Power",
  unit: "W",
  color: 1,
  kind,
  points
})

const draw = (shown: {
  readonly series: Series
  readonly to: number
  readonly bands?: ReadonlyArray<Band>
  readonly now?: number
}) =>
  chartOption({
    series: [shown.series],
    bands: shown.bands ?? [],
    from,
    to: shown.to,
    timeZone: "UTC",
    timeFormat: undefined,
    language: "en",
    color: (name) => name,
    noData: "no data",
    nowLabel: "now",
    now: shown.now ?? from
  })

/** The bands and the line of the present. */
const marks = ({ series: all }: ReturnType<typeof chartOption>) =>
  all.at(-1) as unknown as {
    readonly markArea: { readonly data: unknown }
    readonly markLine: { readonly data: unknown }
  }

describe("the drawing of a chart", () => {
  it("a band that lasts ends at the present", () => {
    const lasting: Band = { from: from + HOUR, to: null, label: "No readings", state: "outage" }
    const option = draw({
      series: series("line", [[from, 1]]),
      to: from + 24 * HOUR,
      bands: [lasting],
      now: from + 5 * HOUR
    })
    const [[start, end]] = marks(option).markArea.data as [[{ xAxis: number }, { xAxis: number }]]
    expect([start.xAxis, end.xAxis]).toEqual([from + HOUR, from + 5 * HOUR])
  })

  it("the present is a line within the time that is shown", () => {
    const lines = (now: number) =>
      marks(draw({ series: series("line", [[from, 1]]), to: from + HOUR, now })).markLine.data
    expect(lines(from + 1)).toEqual([{ xAxis: from + 1 }])
    expect(lines(from + 2 * HOUR)).toEqual([])
  })

  it("the uses of a balance point down, with positive numbers at the axis", () => {
    const option = draw({ series: { ...series("bar", [[from, 5]]), isDown: true }, to: from + HOUR })
    expect(option.series[0]!.data[0]![1]).toBe(-5)
    expect(option.yAxis[0]!.axisLabel.formatter(-5)).toBe(option.yAxis[0]!.axisLabel.formatter(5))
  })

  it("times without a bar until now are marked, because a missing bar would look like a zero", () => {
    const bars: ReadonlyArray<Point> = [1, null, null, 0, null, null].map((value, hour) => [from + hour * HOUR, value])
    const option = draw({ series: series("bar", bars), to: from + 6 * HOUR, now: from + 4.5 * HOUR })
    const marked = marks(option).markArea.data as ReadonlyArray<ReadonlyArray<{ xAxis: number }>>
    expect(marked.map((each) => each.map(({ xAxis }) => (xAxis - from) / HOUR))).toEqual([
      [1, 3],
      [4, 4.5]
    ])
  })

  it("the months of a year are named under the middle of their bars, without the year", () => {
    const months = Array.from({ length: 12 }, (_, month): Point => [Date.UTC(2026, month, 1), month])
    const option = chartOption({
      bands: [],
      timeZone: "UTC",
      timeFormat: undefined,
      language: "en",
      color: (name: string) => name,
      noData: "no data",
      nowLabel: "now",
      now: from,
      from: Date.UTC(2026, 0, 1),
      to: Date.UTC(2027, 0, 1),
      series: [series("bar", months)]
    })
    const { customValues, formatter } = option.xAxis.axisLabel
    expect(customValues[0]).toBe((Date.UTC(2026, 0, 1) + Date.UTC(2026, 1, 1)) / 2)
    expect(customValues.map(formatter).join(" ")).toBe("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
  })

  it("the axis of a few minutes has times, too", () => {
    const begin = Date.parse("2026-11-23T07:18:30Z")
    const ticks = timeTicks(begin, begin + 7 * 60_000, "America/Los_Angeles")
    expect(ticks.map((tick) => new Date(tick).toISOString().slice(11, 16))).toEqual(["07:20", "07:22", "07:24"])
    expect(timeTicks(begin, begin + 2 * HOUR, "Asia/Kolkata").length).toBe(4)
  })

  it("the box beside the pointer has the colours of its lines, although it is asked for later", () => {
    const marks: Array<{ background?: string }> = []
    const element = () => {
      const style = {}
      marks.push(style)
      return { style, append: () => {} }
    }
    vi.stubGlobal("document", { createElement: element })
    let isDrawing = true
    const option = chartOption({
      series: [series("line", [[from, 1]])],
      bands: [],
      from,
      to: from + HOUR,
      timeZone: "UTC",
      timeFormat: undefined,
      language: "en",
      // The style sheet is only read while the chart is drawn.
      color: (name) => (isDrawing ? name : ""),
      noData: "no data",
      nowLabel: "now",
      now: from
    })
    isDrawing = false
    const tip = option.tooltip.formatter as unknown as (items: ReadonlyArray<object>) => object
    tip([{ axisValue: from, seriesId: "power", value: [from, 1] }])
    expect(marks.flatMap(({ background }) => background ?? [])).toEqual(["--chart-1"])
  })
})

afterEach(() => vi.unstubAllGlobals())
