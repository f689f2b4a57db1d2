import { csvTable } from "@edp/domain/shared/csv"
import { energyNames } from "../../api/energy.ts"
import type { EnergyResponse } from "../../resources/metrics.ts"
import { localTime } from "./periods.ts"

/** The energies by bucket as CSV: Wh, and the share of the bucket that was measured. What is not known is an empty cell. */
export const energyCsv = ({ series }: EnergyResponse, timeZone: string): string => {
  const longest = energyNames.reduce(
    (rows, name) => (series[name].length > rows.length ? series[name] : rows),
    series.grid
  )
  return csvTable(
    ["from", "to", ...energyNames.flatMap((name) => [`${name}_wh`, `${name}_coverage`])],
    longest.map(({ from, to }, index) => [
      localTime(from, timeZone),
      localTime(to, timeZone),
      ...energyNames.flatMap((name) => {
        const bucket = series[name][index]
        return [bucket?.value, bucket?.coverage]
      })
    ])
  )
}
