import type { CalendarHistory } from "./responses.ts"

/** Energies of a span, Wh. Null where no interval of it has the value. */
export interface IntervalEnergy {
  readonly batteryCharged: number | null
  readonly batteryDischarged: number | null
  readonly solar: number | null
  /** Import less export. */
  readonly gridNet: number | null
  readonly load: number | null
}

type Interval = NonNullable<CalendarHistory["time_series"]>[number]

const total = (intervals: ReadonlyArray<Interval>, field: Exclude<keyof Interval, "timestamp">): number | null => {
  const values = intervals.map((interval) => interval[field]).filter((value) => typeof value === "number")
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

/**
 * The energies of the intervals that begin in [from, to), milliseconds since 1970. Values of `calendar_history` are those of
 * single intervals. The newest interval still grows: end the span at its beginning, and begin the next one there.
 */
export const energyBetween = (history: CalendarHistory, from: number, to: number): IntervalEnergy => {
  const within = (history.time_series ?? []).filter(({ timestamp }) => {
    const time = Date.parse(timestamp)
    return time >= from && time < to
  })
  const imported = total(within, "grid_energy_imported")
  const exported = total(within, "total_grid_energy_exported")
  return {
    batteryCharged: total(within, "total_battery_charge"),
    batteryDischarged: total(within, "total_battery_discharge"),
    solar: total(within, "total_solar_generation"),
    gridNet: imported === null || exported === null ? null : imported - exported,
    load: total(within, "total_home_usage")
  }
}

/** The beginning of the newest interval, milliseconds since 1970: everything before it is complete. Null without intervals. */
export const completeUntil = (history: CalendarHistory): number | null => {
  const times = (history.time_series ?? []).map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite)
  return times.length === 0 ? null : Math.max(...times)
}
