import { csvTable } from "@edp/domain/shared/csv"
import { DateTime } from "effect"
import type { TimeChartProps } from "./series.ts"

type Shown = Pick<TimeChartProps, "series" | "from" | "to" | "timeZone">

/**
 * The values that a chart shows as CSV: the local time, then each series with its unit. What is not known is an
 * empty cell.
 */
export const chartCsv = ({ series, from, to, timeZone = "UTC" }: Shown): string => {
  const rows = new Map<number, Map<string, number>>()
  for (const { id, kind, points } of series) {
    for (const [time, value] of points) {
      if (time < from || time >= to || (value === null && kind !== "bar")) continue
      const row = rows.get(time) ?? new Map<string, number>()
      rows.set(time, value === null ? row : row.set(id, value))
    }
  }
  return csvTable(
    ["time", ...series.map(({ name, unit }) => (unit === "" ? name : `${name} (${unit})`))],
    [...rows]
      .toSorted(([a], [b]) => a - b)
      .map(([time, values]) => [
        DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(time, { timeZone })),
        ...series.map(({ id }) => values.get(id))
      ])
  )
}
