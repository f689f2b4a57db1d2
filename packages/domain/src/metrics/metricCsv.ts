import { csvTable } from "../shared/csv.ts"
import type { MetricSeries } from "./MetricSeries.ts"

const columns = ["timestamp", "value", "unit", "coverage", "deviceId", "siteId"]

/** The points of a series as CSV. */
export const metricCsv = ({ data, meta }: Pick<MetricSeries, "data"> & { readonly meta: { readonly unit: string } }) =>
  csvTable(
    columns,
    data.map(({ coverage, deviceId, siteId, timestamp, value }) => [
      timestamp,
      value,
      meta.unit,
      coverage,
      deviceId,
      siteId
    ])
  )

export const csvExample = metricCsv({
  data: [{ timestamp: "2026-02-28T08:00:00.000Z", value: 22_420.5, coverage: 1 }],
  meta: { unit: "Wh" }
})
