import type { Flexibility, Overview, OverviewFigure, OverviewReason } from "@edp/domain/dashboard/Overview"
import { Schema } from "effect"

/** A sum, and how many are in it, how many there are, and how many of those have reported. */
const Sum = Schema.Tuple([Schema.NullOr(Schema.Finite), Schema.Finite, Schema.Finite, Schema.Finite])
type Sum = typeof Sum.Type

export const PowerRow = Schema.Struct({
  solar: Sum,
  homes: Sum,
  batteries: Sum,
  charging: Sum,
  grid: Sum,
  stored: Sum,
  batteryUpW: Sum,
  batteryDownW: Sum,
  batteryUpWh: Sum,
  batteryDownWh: Sum,
  chargingUpW: Sum,
  chargingDownW: Sum,
  chargingDownWh: Sum,
  storedShare: Schema.NullOr(Schema.Finite),
  thermostats: Schema.Finite,
  batteryDevices: Schema.Finite,
  chargingDevices: Schema.Finite
})
export type PowerRow = typeof PowerRow.Type

const none = (reason: OverviewReason, silent = 0, unmeasured = 0): OverviewFigure => ({
  value: null,
  reason,
  counted: 0,
  silent,
  unmeasured
})

const rounded = (value: number) => Math.round(value * 1000) / 1000

/** `absent` is the reason if there is nothing that could be in the sum. */
const toFigure = ([value, counted, all, fresh]: Sum, absent: OverviewReason = "no_devices"): OverviewFigure => {
  if (all === 0) return none(absent)
  const [silent, unmeasured] = [all - fresh, Math.max(0, fresh - counted)]
  if (value === null || counted === 0) return none(fresh === 0 ? "silent" : "not_reported", silent, unmeasured)
  return { value: rounded(value), reason: null, counted, silent, unmeasured }
}

export const toPower = (row: PowerRow): Pick<Overview, "power" | "stored" | "storedShare" | "dispatchable"> => {
  const batteries = (sum: Sum) => toFigure(sum, row.batteryDevices === 0 ? "no_devices" : "not_controllable")
  const charging = (sum: Sum) => toFigure(sum, row.chargingDevices === 0 ? "no_devices" : "not_controllable")
  // Thermostats report temperatures, not the power of what they switch.
  const thermostat = row.thermostats === 0 ? none("no_devices") : none("not_reported", 0, row.thermostats)
  const thermostats: Flexibility = { upW: thermostat, downW: thermostat, upWh: thermostat, downWh: thermostat }
  const parked = charging(row.chargingUpW)
  return {
    power: {
      solar: toFigure(row.solar),
      homes: toFigure(row.homes),
      batteries: toFigure(row.batteries),
      charging: toFigure(row.charging),
      grid: toFigure(row.grid)
    },
    stored: toFigure(row.stored),
    storedShare: row.storedShare,
    dispatchable: {
      batteries: {
        upW: batteries(row.batteryUpW),
        downW: batteries(row.batteryDownW),
        upWh: batteries(row.batteryUpWh),
        downWh: batteries(row.batteryDownWh)
      },
      charging: {
        upW: parked,
        downW: charging(row.chargingDownW),
        // A pause has no end by itself: how much energy it saves nobody reports.
        upWh: parked.reason === null ? none("not_reported", parked.silent, parked.counted) : none(parked.reason),
        downWh: charging(row.chargingDownWh)
      },
      thermostats
    }
  }
}
