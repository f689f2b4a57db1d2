import type { EChartsOption, LineSeriesOption } from "echarts"
import { chartFrame, unknownBands, zeroLine } from "../../charts/chartFrame.ts"
import { drawOption } from "../../charts/drawOption.ts"
import { unitFor } from "../../metrics/view.ts"
import { type ReportView, formatSpan } from "../reportView.ts"

/** Different in hue and lightness, also for colour-blind readers. */
const colors = { actual: "#1f5f99", baseline: "#14212e", delivered: "#e3a008" } as const

type Values = ReadonlyArray<number | null>

/** The corners of steps, by the number of the bucket: a bucket's value holds from its beginning until its end. */
const corners = (values: Values, size: number) =>
  values.flatMap((value, bucket): ReadonlyArray<[number, number | null]> =>
    value === null
      ? [[bucket, null]]
      : [
          [bucket, value / size],
          [bucket + 1, value / size]
        ]
  ) as Array<[number, number]>

const line = (name: string, data: Array<[number, number]>, more: Partial<LineSeriesOption>): LineSeriesOption => ({
  name,
  type: "line",
  symbol: "none",
  animation: false,
  data,
  ...more
})

/** The chart of a report as an echarts option. */
export const reportOption = (view: ReportView, title: string | undefined): EChartsOption => {
  const { actual, baseline } = view
  const unit = unitFor([...baseline, ...actual].flatMap((value) => value ?? []))
  const symbol = unit.symbol.slice(0, -1)
  const bands = unknownBands(actual.map((value, at) => value === null && baseline[at] === null))
  const isBoth = actual.map((value, at) => value !== null && baseline[at] !== null)
  const below = actual.map((value, at) => (isBoth[at] === true ? value : null))
  const between = baseline.map((value, at) => (isBoth[at] === true ? value! - actual[at]! : null))
  const hidden = {
    lineStyle: { opacity: 0 },
    silent: true,
    color: colors.delivered,
    stack: "difference",
    stackStrategy: "all"
  } as const
  return {
    ...chartFrame(
      view,
      {
        title: title ?? view.name,
        subtitle: [formatSpan(view), `net import in ${symbol}: positive imports, negative exports`].join("  ·  "),
        unit: symbol,
        legends: new Map([
          ["baseline", `baseline (${view.method})`],
          ["actual", "actual"],
          ["difference", view.result],
          ...bands.map(({ name }) => [`${name}`, `${name}`] as const)
        ])
      },
      "value"
    ),
    series: [
      // The difference is stacked on the actual use, whatever the signs of both are.
      line("below", corners(below, unit.size), hidden),
      line("difference", corners(between, unit.size), { ...hidden, areaStyle: { opacity: 0.35 } }),
      line("actual", corners(actual, unit.size), {
        color: colors.actual,
        lineStyle: { width: 3 },
        markLine: zeroLine
      }),
      line("baseline", corners(baseline, unit.size), {
        color: colors.baseline,
        lineStyle: { width: 2, type: "dashed" }
      }),
      ...bands
    ]
  }
}

/** Draws baseline and actual use as an SVG document; equal values give equal bytes. */
export const drawReport = (view: ReportView, title?: string): string => drawOption(reportOption(view, title))
