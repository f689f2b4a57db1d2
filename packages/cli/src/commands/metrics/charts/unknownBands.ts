import type { LineSeriesOption } from "echarts"
import { isKnown, type MetricView } from "../view.ts"

const grey = "#eceff1"

/** Runs of true, by the place of the first and the one after the last. */
const runs = (flags: ReadonlyArray<boolean>): ReadonlyArray<readonly [from: number, to: number]> => {
  const found: Array<readonly [number, number]> = []
  for (let from = flags.indexOf(true); from >= 0;) {
    const end = flags.indexOf(false, from)
    const to = end < 0 ? flags.length : end
    found.push([from, to])
    from = flags.indexOf(true, to)
  }
  return found
}

/** Grey where nothing is known, which is not the same as zero; on an axis of its own that counts the buckets. */
export const unknownBands = ({ bounds, series }: MetricView): ReadonlyArray<LineSeriesOption> => {
  const unknown = bounds.slice(0, -1).map((_, bucket) => series.every(({ points }) => !isKnown(points[bucket]!)))
  if (!unknown.includes(true)) return []
  const areas = runs(unknown).map(([from, to]): [{ xAxis: number }, { xAxis: number }] => [
    { xAxis: from },
    { xAxis: to }
  ])
  return [
    {
      name: "no readings",
      type: "line",
      xAxisIndex: 1,
      yAxisIndex: 1,
      color: grey,
      animation: false,
      z: 0,
      data: [],
      markArea: { silent: true, animation: false, itemStyle: { color: grey }, label: { show: false }, data: areas }
    }
  ]
}
