import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import { type Point, type Series, withSilences } from "../../charts/series.ts"
import type { Unit } from "../../i18n/format.ts"
import type { Period } from "../../i18n/period.ts"

/** A line of a chart: a field of the readings. */
interface Line {
  readonly field: string
  readonly unit: Unit
  readonly kind: Series["kind"]
  readonly color: Series["color"]
  readonly dashed?: boolean
}

/** A chart over the readings of a device. */
export interface Chart {
  readonly id: "power" | "charge" | "electric" | "temperature" | "water" | (string & {})
  readonly lines: ReadonlyArray<Line>
}

const line = (field: string, unit: Unit, color: Line["color"], kind: Line["kind"] = "line"): Line => ({
  field,
  unit,
  kind,
  color
})
const target = (field: string, unit: Unit, color: Line["color"]): Line => ({
  ...line(field, unit, color, "step"),
  dashed: true
})

const surroundings = [line("gridPower", "W", 2), line("loadPower", "W", 3)]
const electric: Chart = { id: "electric", lines: [line("chargerVoltage", "V", 4), line("chargerCurrent", "A", 5)] }

const charts: Readonly<Record<Exclude<DeviceType, "other" | "unknown">, ReadonlyArray<Chart>>> = {
  battery: [
    { id: "power", lines: [line("chargeRate", "W", 1, "area"), ...surroundings] },
    { id: "charge", lines: [line("chargePercentage", "%", 1, "area"), target("backupReserve", "%", 4)] }
  ],
  charger: [{ id: "power", lines: [line("chargerWattage", "W", 1, "area")] }, electric],
  inverter: [{ id: "power", lines: [line("power", "W", 1, "area"), ...surroundings] }],
  meter: [
    { id: "power", lines: [line("power", "W", 1, "area")] },
    { id: "electric", lines: [line("voltage", "V", 4), line("current", "A", 5)] }
  ],
  thermostat: [
    {
      id: "temperature",
      lines: [line("ambientTemperature", "°F", 1), target("heatTarget", "°F", 4), target("coolTarget", "°F", 2)]
    }
  ],
  vehicle: [
    { id: "charge", lines: [line("chargePercentage", "%", 1, "area"), target("chargeLimit", "%", 4)] },
    { id: "power", lines: [line("chargerWattage", "W", 1, "area")] },
    electric
  ],
  water_heater: [
    { id: "temperature", lines: [line("waterTemperature", "°F", 1), target("targetTemperature", "°F", 4)] },
    { id: "power", lines: [line("power", "W", 2, "area")] },
    { id: "water", lines: [line("availableHotWater", "%", 3, "area")] }
  ]
}

/** Charts of a device with fields of its own: the first numbers that it reports. */
const CHOSEN = 6

const chosenCharts = (readings: ReadonlyArray<RecordedFields>): ReadonlyArray<Chart> => {
  const fields = new Set<string>()
  for (const reading of readings) {
    for (const [name, value] of Object.entries(reading)) if (typeof value === "number") fields.add(name)
  }
  return [...fields].slice(0, CHOSEN).map((field) => ({ id: field, lines: [line(field, "", 1)] }))
}

/** The charts of a type of device. */
export const historyCharts = (type: DeviceType, readings: ReadonlyArray<RecordedFields>): ReadonlyArray<Chart> =>
  type === "other" || type === "unknown" ? chosenCharts(readings) : charts[type]

const isNumber = (value: unknown): value is number => typeof value === "number"

/** The lines of a chart that the readings have values for. A silence of the device and a null break them. */
export const chartSeries = (
  chart: Chart,
  readings: ReadonlyArray<RecordedFields>,
  name: (field: string) => string
): ReadonlyArray<Series> => {
  const times = readings.map(({ createdAt }) => Date.parse(createdAt))
  return chart.lines.flatMap(({ field, ...look }) => {
    if (!readings.some((reading) => isNumber(reading[field]))) return []
    const points = readings.map((reading, index): Point => {
      const value = reading[field]
      return [times[index]!, isNumber(value) ? value : null]
    })
    return [{ id: field, name: name(field), points: withSilences(points), ...look }]
  })
}

/** The readings of a time with those that have come in since they were loaded. */
export const withNewer = (
  readings: ReadonlyArray<RecordedFields>,
  newer: ReadonlyArray<RecordedFields>,
  { from, to }: Pick<Period, "from" | "to">
): ReadonlyArray<RecordedFields> => {
  const last = readings.at(-1)?.createdAt ?? ""
  const added = newer.filter(({ createdAt }) => {
    const time = Date.parse(createdAt)
    return createdAt > last && time >= from && time < to
  })
  return added.length === 0 ? readings : [...readings, ...added]
}

/** A line that is computed from metrics: their sum by sign, as mean power; or the stored energy. */
interface MetricLine {
  readonly field: string
  readonly chart: string
  readonly color: Series["color"]
  readonly metrics: ReadonlyArray<readonly [metric: MetricName, sign: 1 | -1]>
}

const metricLines: Readonly<Partial<Record<DeviceType, ReadonlyArray<MetricLine>>>> = {
  battery: [
    {
      field: "chargeRate",
      chart: "power",
      color: 1,
      metrics: [
        ["production", 1],
        ["consumption", -1]
      ]
    },
    { field: "gridPower", chart: "power", color: 2, metrics: [["grid", 1]] },
    { field: "loadPower", chart: "power", color: 3, metrics: [["load", 1]] },
    { field: "charge", chart: "charge", color: 1, metrics: [["storage", 1]] }
  ],
  charger: [{ field: "chargerWattage", chart: "power", color: 1, metrics: [["charging", 1]] }],
  inverter: [
    { field: "power", chart: "power", color: 1, metrics: [["generation", 1]] },
    { field: "gridPower", chart: "power", color: 2, metrics: [["grid", 1]] },
    { field: "loadPower", chart: "power", color: 3, metrics: [["load", 1]] }
  ],
  meter: [{ field: "power", chart: "power", color: 1, metrics: [["grid", 1]] }],
  vehicle: [
    { field: "charge", chart: "charge", color: 1, metrics: [["storage", 1]] },
    { field: "chargerWattage", chart: "power", color: 1, metrics: [["charging", 1]] }
  ]
}

/** The metrics from which the charts of a longer time are drawn; none for a type that has no metrics. */
export const historyMetrics = (type: DeviceType): ReadonlyArray<MetricName> => [
  ...new Set((metricLines[type] ?? []).flatMap(({ metrics }) => metrics.map(([metric]) => metric)))
]

const HOUR = 3_600_000

/** The charts of a longer time: the mean power of each bucket, and the energy stored at its end. */
export const metricCharts = (
  type: DeviceType,
  metrics: Readonly<Partial<Record<MetricName, MetricSeries>>>,
  name: (field: string) => string,
  now: number
): ReadonlyArray<{ readonly id: string; readonly series: ReadonlyArray<Series> }> => {
  const lines = metricLines[type] ?? []
  const ids = [...new Set(lines.map(({ chart }) => chart))]
  return ids.map((id) => ({
    id,
    series: lines
      .filter(({ chart }) => chart === id)
      .flatMap(({ field, color, metrics: parts }): ReadonlyArray<Series> => {
        const [first] = parts.map(([metric]) => metrics[metric])
        if (first === undefined) return []
        const isStored = parts[0]![0] === "storage"
        const end = Date.parse(first.meta.to)
        const starts = first.data.map(({ timestamp }) => Date.parse(timestamp))
        const points = starts.map((start, index): Point => {
          const next = starts[index + 1] ?? end
          // The energy of a running bucket is not that of its whole length.
          if (next > now && !isStored) return [start, null]
          const values = parts.map(([metric, sign]) => {
            const value = metrics[metric]?.data[index]?.value
            return isNumber(value) ? value * sign : null
          })
          // One half of a sum that is unknown makes it unknown.
          const sum = values.reduce((total, value) => (total === null || value === null ? null : total + value), 0)
          return [start, sum === null || isStored ? sum : sum / ((next - start) / HOUR)]
        })
        const last = points.at(-1)
        const held = last === undefined ? points : [...points, [end, last[1]] as const]
        const look = { color, kind: isStored ? ("line" as const) : ("step" as const) }
        return points.some(([, value]) => value !== null)
          ? [{ id: field, name: name(field), unit: isStored ? "Wh" : "W", points: isStored ? points : held, ...look }]
          : []
      })
  }))
}
