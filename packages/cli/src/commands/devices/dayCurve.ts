import type { RecordedState } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { LocalDay } from "./localDay.ts"
import { lineThrough, type Point, renderPlot } from "../../plot.ts"

/** The state's field that a type's curve shows, with its unit. */
const curves = {
  battery: ["chargeRate", "W"],
  charger: ["chargerWattage", "W"],
  inverter: ["power", "W"],
  meter: ["power", "W"],
  thermostat: ["ambientTemperature", "F"],
  vehicle: ["chargerWattage", "W"],
  water_heater: ["power", "W"],
  other: ["power", "W"],
  unknown: ["power", "W"]
} as const satisfies Record<DeviceType, readonly [field: string, unit: string]>

const signs: Partial<Record<DeviceType, string>> = {
  battery: "above 0 discharges, below charges",
  meter: "above 0 imports, below exports"
}

const counters = [
  ["lifetimeEnergyGenerated", "generated"],
  ["importedEnergy", "imported"],
  ["exportedEnergy", "exported"]
] as const

export const pointsOf = (readings: ReadonlyArray<RecordedState>, field: string): ReadonlyArray<Point> =>
  readings.flatMap((reading) => {
    const value = reading[field]
    return typeof value === "number" ? [{ at: Date.parse(reading.createdAt), value }] : []
  })

/** What the counters grew by between the first and the last reading, Wh. */
const energies = (readings: ReadonlyArray<RecordedState>) =>
  counters.flatMap(([field, verb]) => {
    const [first, last] = [readings[0]?.[field], readings.at(-1)?.[field]]
    return typeof first === "number" && typeof last === "number"
      ? [`${((last - first) / 1000).toFixed(2)} kWh ${verb}`]
      : []
  })

/** A day's curve with its heading; readings are in the order of their times. */
export const renderDay = (options: {
  readonly name: string
  readonly type: DeviceType
  readonly date: string
  readonly timezone: string
  readonly day: LocalDay
  readonly readings: ReadonlyArray<RecordedState>
  readonly columns: number
}): string => {
  const { date, day, name, readings, timezone, type } = options
  const [field, unit] = curves[type]
  const points = pointsOf(readings, field)
  const heading = `${name}, ${date} (${timezone}): ${field}, ${unit}${signs[type] === undefined ? "" : `; ${signs[type]}`}`
  if (points.length === 0) return `${heading}\nNo readings of ${field} on this day.`
  const columns = Math.min(options.columns, 120)
  const plot = renderPlot({
    curve: lineThrough(points),
    from: day.from,
    to: day.to,
    ticks: day.hours,
    unit,
    columns,
    rows: 12
  })
  return [heading, plot, energies(readings).join(", ")].filter((part) => part !== "").join("\n")
}
