import type { EnergyBucket, EnergyName, EnergySeries } from "../../api/energy.ts"
import type { Point, Series } from "../../charts/series.ts"

/** Below this coverage the energy of a bucket is known, such as from a counter, but not when it flowed. */
const FLOWING = 0.05

const HOUR = 3_600_000

/**
 * The mean power of each bucket in W, as steps. A bucket that is hardly measured is a gap: each run of measured buckets ends where its
 * last one ends.
 */
export const powerSteps = (series: EnergySeries): ReadonlyArray<Point> => {
  const points: Array<Point> = []
  let last: EnergyBucket | undefined
  for (const bucket of series) {
    const isKnown = bucket.value !== null && bucket.coverage >= FLOWING
    if (isKnown) points.push([bucket.from, power(bucket)])
    else if (last !== undefined) points.push([last.to, power(last)], [last.to + 1, null])
    last = isKnown ? bucket : undefined
  }
  if (last !== undefined) points.push([last.to, power(last)])
  return points
}

const power = ({ from, to, value }: EnergyBucket) => Math.round((value! * HOUR * 1000) / (to - from)) / 1000

/** The discharge of batteries less their charge: positive flows out of them. */
export const batteryNet = (discharged: EnergySeries, charged: EnergySeries): EnergySeries =>
  discharged.map((bucket, index) => {
    const other = charged[index]
    if (bucket.value === null || other === undefined || other.value === null)
      return { ...bucket, value: null, coverage: 0 }
    return { ...bucket, value: bucket.value - other.value, coverage: Math.min(bucket.coverage, other.coverage) }
  })

/** The energies as bars over their buckets; nothing where nothing is known. */
export const energyBars = (series: EnergySeries): ReadonlyArray<Point> => series.map(({ from, value }) => [from, value])

const hasValues = (series: EnergySeries) => series.some(({ value }) => value !== null)

type Named = Readonly<Record<EnergyName, EnergySeries>>

/** The power of a day: what was generated and used, and what flowed from the batteries and from the grid. */
export const flowSeries = (
  series: Named,
  names: { readonly generation: string; readonly load: string; readonly battery: string; readonly grid: string }
): ReadonlyArray<Series> => {
  const flows = [
    { id: "generation", buckets: series.generation, kind: "step", color: 1 },
    { id: "load", buckets: series.load, kind: "step", color: 2 },
    { id: "battery", buckets: batteryNet(series.discharged, series.charged), kind: "step", color: 3 },
    { id: "grid", buckets: series.grid, kind: "step", color: 4 }
  ] as const
  return flows
    .filter(({ buckets }) => hasValues(buckets))
    .map(({ id, buckets, kind, color }) => ({
      id,
      name: names[id],
      unit: "W",
      points: powerSteps(buckets),
      kind,
      color
    }))
}

/** The sources of energy, and beside them its uses. Equal heights mean that all of it is known. */
const stacks = {
  from: ["generation", "discharged", "imported"],
  to: ["load", "charged", "exported"]
} as const satisfies Readonly<Record<string, ReadonlyArray<EnergyName>>>

const colors = { generation: 1, load: 2, charged: 3, discharged: 4, imported: 5, exported: 6 } as const

/** The energies of a month by day, or of a year by month. Without meters the net of the grid has a bar of its own. */
export const barSeries = (series: Named, names: Readonly<Record<EnergyName, string>>): ReadonlyArray<Series> => {
  const stacked = Object.entries(stacks).flatMap(([stack, members]) => members.map((name) => ({ stack, name })))
  const bars: ReadonlyArray<Series> = stacked
    .filter(({ name }) => hasValues(series[name]))
    .map(({ stack, name }) => ({
      id: name,
      name: names[name],
      unit: "Wh",
      points: energyBars(series[name]),
      kind: "bar",
      color: colors[name],
      stack
    }))
  if (hasValues(series.imported) || !hasValues(series.grid)) return bars
  return [...bars, { id: "grid", name: names.grid, unit: "Wh", points: energyBars(series.grid), kind: "bar", color: 5 }]
}
