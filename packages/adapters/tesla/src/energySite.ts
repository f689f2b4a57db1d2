import type { BatteryReading, ChargerReading, InverterReading } from "@edp/domain/devices/DeviceState"
import { type LiveStatus, orNull, type SiteInfo, withoutNulls } from "./responses.ts"
import { batteryId, batteryStatic, inverterId, wallConnectorId } from "./devices.ts"
import type { IntervalEnergy } from "./history.ts"

/** W below which a flow counts as none: meters of idle systems show some tens of watts. */
export const DEAD_BAND_W = 50

export type SiteReading = {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970. */
  readonly observedAt: number
} & (
  | { readonly type: "battery"; readonly state: typeof BatteryReading.Type }
  | { readonly type: "inverter"; readonly state: typeof InverterReading.Type }
  | { readonly type: "charger"; readonly state: typeof ChargerReading.Type }
)

const strategies: Readonly<Record<string, "self_consumption" | "time_of_use" | "backup">> = {
  self_consumption: "self_consumption",
  autonomous: "time_of_use",
  backup: "backup"
}

/** Values of a site that this adapter does not know, a sentence each. */
export const unknownValues = ({ default_real_mode }: SiteInfo): ReadonlyArray<string> => {
  const mode = orNull(default_real_mode)
  return mode === null || mode in strategies ? [] : [`The operating mode ${mode} of a site is not known`]
}

/** A sign with a dead band: positive, negative or none. */
const direction = <const A>(power: number, positive: A, negative: A, none: A): A =>
  power > DEAD_BAND_W ? positive : power < -DEAD_BAND_W ? negative : none

/** An integer without the negative zero. */
const whole = (value: number) => Math.round(value) + 0

/** Values at the grid connection and of the home: import is positive, as at Tesla. Nothing where Tesla leaves it out. */
const gridFields = (live: LiveStatus, energy: IntervalEnergy | null) => {
  const gridPower = orNull(live.grid_power)
  const loadPower = orNull(live.load_power)
  return withoutNulls({
    gridStatus: gridPower === null ? null : direction(gridPower, "importing", "exporting", "idle"),
    gridPower: gridPower === null ? null : whole(gridPower),
    gridEnergy: energy === null || energy.gridNet === null ? null : whole(energy.gridNet),
    loadPower: loadPower === null ? null : Math.max(0, loadPower),
    loadEnergy: energy?.load ?? null
  })
}

/** Wh stored now: as reported, or the share of the capacity. */
const storedEnergy = (live: LiveStatus, info: SiteInfo): number | null => {
  const left = orNull(live.energy_left)
  const capacity = batteryStatic(info)?.capacity ?? orNull(live.total_pack_energy)
  const percentage = orNull(live.percentage_charged)
  if (left !== null) return left
  return capacity === null || percentage === null ? null : (percentage / 100) * capacity
}

/** The battery's state. `chargeRate` has Tesla's sign: positive is discharging. Null without charge or capacity. */
const batteryState = (
  live: LiveStatus,
  info: SiteInfo,
  energy: IntervalEnergy | null
): typeof BatteryReading.Type | null => {
  const percentage = orNull(live.percentage_charged)
  const charge = storedEnergy(live, info)
  if (percentage === null || charge === null) return null
  const power = orNull(live.battery_power)
  const mode = orNull(info.default_real_mode)
  return {
    chargingState: power === null ? "unknown" : direction(power, "discharging", "charging", "idle"),
    charge,
    chargePercentage: Math.min(100, Math.max(0, percentage)),
    whConsumed: energy?.batteryCharged ?? null,
    ...withoutNulls({
      chargeRate: power,
      backupReserve: orNull(info.backup_reserve_percent),
      isStormModeActive: orNull(live.storm_mode_active),
      isStormModeEnabled: orNull(info.user_settings?.storm_mode_enabled),
      strategy: mode === null ? null : (strategies[mode] ?? ("unknown" as const))
    }),
    ...gridFields(live, energy)
  }
}

/** The state of the solar system. Inverters draw some watts at night, which Tesla reports as negative power. */
const inverterState = (
  live: LiveStatus,
  energy: IntervalEnergy | null,
  withGrid: boolean
): typeof InverterReading.Type | null => {
  const power = orNull(live.solar_power)
  if (power === null) return null
  return {
    power: Math.max(0, power),
    ...withoutNulls({ generatedEnergy: energy?.solar ?? null }),
    ...(withGrid ? gridFields(live, energy) : {})
  }
}

/**
 * The state of a wall connector. The numbers of `wall_connector_state` are not documented, so the power alone decides; a
 * connector that charges is plugged in, of one that does not charge it is not known.
 */
const wallConnectorState = (power: number | null): typeof ChargerReading.Type => {
  if (power === null) return { chargingState: "unknown" }
  const charging = power > DEAD_BAND_W
  return {
    chargingState: charging ? "charging" : "idle",
    chargerWattage: Math.max(0, power),
    ...(charging ? { isPluggedIn: true } : {})
  }
}

/**
 * Readings of the devices of a site. Values of grid and home belong to the battery; a site without one has them on its
 * inverter, so that they count once.
 *
 * @param now Milliseconds since 1970, the time of the reading where the response has none.
 * @param energy Energies since the previous reading, where a history was read.
 */
export const siteReadings = (
  energySiteId: string,
  live: LiveStatus,
  info: SiteInfo,
  now: number,
  energy: IntervalEnergy | null = null
): ReadonlyArray<SiteReading> => {
  const time = Date.parse(live.timestamp ?? "")
  const observedAt = Number.isNaN(time) ? now : time
  const hasBattery = info.components?.battery ?? orNull(live.percentage_charged) !== null
  const hasSolar = info.components?.solar ?? orNull(live.solar_power) !== null
  const battery = hasBattery ? batteryState(live, info, energy) : null
  const inverter = hasSolar ? inverterState(live, energy, !hasBattery) : null
  return [
    ...(battery === null
      ? []
      : [{ manufacturerDeviceId: batteryId(energySiteId), observedAt, type: "battery", state: battery } as const]),
    ...(inverter === null
      ? []
      : [{ manufacturerDeviceId: inverterId(energySiteId), observedAt, type: "inverter", state: inverter } as const]),
    ...(live.wall_connectors ?? []).flatMap(({ din, wall_connector_power }) =>
      din === undefined || din === null
        ? []
        : [
            {
              manufacturerDeviceId: wallConnectorId(energySiteId, din),
              observedAt,
              type: "charger",
              state: wallConnectorState(orNull(wall_connector_power))
            } as const
          ]
    )
  ]
}
