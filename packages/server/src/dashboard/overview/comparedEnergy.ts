import { type OverviewEnergy, type OverviewEnergyName, overviewEnergies } from "@edp/domain/dashboard/Overview"
import type { MetricPoint, MissingReason } from "@edp/domain/metrics/MetricSeries"

type Points = ReadonlyArray<MetricPoint>

/** The least share of a quarter of an hour that both days must have measured. */
const LEAST_MEASURED = 0.5

/** The least share of the better measured day that the other must have measured. Devices that are silent on both days hinder no comparison. */
const COMPARABLE = 0.9

const rounded = (value: number) => Math.round(value * 1000) / 1000

/** The energy imported: what the meters exported plus their import minus their export. */
export const importedFrom = (net: Points, exported: Points): Points =>
  net.map((point, n) => {
    const other = exported[n]
    if (point.value === null || other === undefined || other.value === null)
      return { ...point, value: null, coverage: 0 }
    return { ...point, value: rounded(point.value + other.value), coverage: Math.min(point.coverage, other.coverage) }
  })

/** The reason that tells most about a time in which nothing is known. */
const reasons: ReadonlyArray<MissingReason> = ["not_measured", "before_first_reading", "disconnected", "no_devices"]

const compare = (today: Points, before: Points) => {
  const known = today.flatMap(({ value }) => (value === null ? [] : [value]))
  const pairs = today.flatMap((point, n) => {
    const other = before[n]
    if (point.value === null || other === undefined || other.value === null) return []
    const measured = Math.min(point.coverage, other.coverage)
    const isComparable = measured >= LEAST_MEASURED && measured >= COMPARABLE * Math.max(point.coverage, other.coverage)
    return isComparable ? [[point.value, other.value] as const] : []
  })
  const sum = (values: ReadonlyArray<number>) => rounded(values.reduce((total, value) => total + value, 0))
  return {
    value: known.length === 0 ? null : sum(known),
    reason:
      known.length > 0
        ? null
        : (reasons.find((reason) => today.some((point) => point.reason === reason)) ?? "not_measured"),
    compared:
      pairs.length === 0
        ? null
        : {
            today: sum(pairs.map(([value]) => value)),
            before: sum(pairs.map(([, value]) => value)),
            share: pairs.length / today.length
          }
  }
}

/** Energies of two days by quarters of an hour, compared over the quarters that both have measured. */
export const compareDays = (
  today: Readonly<Record<OverviewEnergyName, Points>>,
  before: Readonly<Record<OverviewEnergyName, Points>>
): OverviewEnergy["energies"] => overviewEnergies.map((name) => ({ name, ...compare(today[name], before[name]) }))
