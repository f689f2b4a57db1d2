import type { Device } from "@edp/domain/devices/Device"
import type { EnergyBucket, EnergyName, EnergySeries } from "../../api/energy.ts"
import type { Pattern, Point, Series } from "../../charts/series.ts"

/** Below this coverage the energy of a bucket is known, such as from a counter, but not when it flowed. */
const FLOWING = 0.05

const HOUR = 3_600_000

/** The mean power of a bucket in W; of a running one, that of its measured part. Null for one that is hardly measured. */
const power = ({ from, to, value, coverage }: EnergyBucket, now: number) => {
  if (value === null || coverage < FLOWING) return null
  const length = (to - from) * (to > now ? coverage : 1)
  return Math.round((value * HOUR * 1000) / length) / 1000
}

const hasValues = (series: EnergySeries) => series.some(({ value }) => value !== null)

type Named = Readonly<Record<EnergyName, EnergySeries>>

interface BalanceEntry {
  readonly name: EnergyName
  readonly color: Series["color"]
  readonly pattern: Pattern
  readonly isDown?: true
}

/** The sources, from the axis up, and the uses, from the axis down. Equal heights mean that all of it is known. */
const entries: ReadonlyArray<BalanceEntry> = [
  { name: "generation", color: 1, pattern: 0 },
  { name: "discharged", color: 4, pattern: 1 },
  { name: "imported", color: 5, pattern: 2 },
  { name: "load", color: 2, pattern: 0, isDown: true },
  { name: "charged", color: 3, pattern: 1, isDown: true },
  { name: "exported", color: 6, pattern: 2, isDown: true }
]

/** Without meters only the difference of import and export is known, which is a source or a use by its sign. */
const net: BalanceEntry = { name: "grid", color: 5, pattern: 2 }

/** The energies of a time as a balance: bars of mean power for quarters of an hour, of energy for longer buckets. */
export const balanceSeries = (
  series: Named,
  names: Readonly<Record<EnergyName, string>>,
  unit: "W" | "Wh",
  now: number
): ReadonlyArray<Series> =>
  [...entries, ...(hasValues(series.imported) ? [] : [net])]
    .filter(({ name }) => hasValues(series[name]))
    .map(({ name, ...look }) => ({
      id: name,
      name: names[name],
      unit,
      points: series[name].map((bucket): Point => [bucket.from, unit === "W" ? power(bucket, now) : bucket.value]),
      kind: "bar",
      stack: "balance",
      ...look
    }))

/** The energies that lie on the axis, with which those of another period can be compared by eye. */
export const comparable = (series: ReadonlyArray<Series>) => {
  const onAxis = series.filter(({ id }) => id === "generation" || id === "load")
  return onAxis.length === 0 ? series.slice(0, 1) : onAxis
}

/** The stored energy at the end of each bucket, or its share of a capacity. */
export const chargeSeries = (
  stored: EnergySeries,
  capacity: number | undefined,
  name: string,
  now: number
): Series => ({
  id: "charge",
  name,
  unit: capacity === undefined ? "Wh" : "%",
  points: stored.map(({ to, value }): Point => [
    Math.min(to, now),
    value === null || capacity === undefined ? value : Math.min(100, (value / capacity) * 100)
  ]),
  kind: "area",
  color: 3
})

/** The capacity of the batteries in Wh; undefined where it is not known of all of them, or where there are none. */
export const batteryCapacity = (devices: ReadonlyArray<Device>): number | undefined => {
  const batteries = devices.filter(({ type }) => type === "battery")
  const capacities = batteries.map(({ staticState }) => (staticState as { readonly capacity?: number }).capacity ?? 0)
  return batteries.length === 0 || capacities.includes(0) ? undefined : capacities.reduce((sum, each) => sum + each, 0)
}
