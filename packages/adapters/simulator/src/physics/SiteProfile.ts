import type { Address } from "@edp/domain/shared/Address"
import type { BatteryProfile } from "./battery.ts"
import type { ChargerProfile } from "./charging.ts"
import type { DailyWindow } from "./clock.ts"
import type { Household } from "./household.ts"
import type { InverterProfile } from "./inverter.ts"
import type { ThermostatProfile } from "./thermostat.ts"
import type { VehicleProfile } from "./vehicle.ts"
import type { WaterHeaterProfile } from "./waterHeater.ts"
import type { Climate, Location } from "./weather.ts"

/** A device as the simulated manufacturer names it. */
export interface DeviceIdentity {
  readonly id: string
  readonly name: string
  readonly serialNumber: string
}

type Device<Profile> = Profile & { readonly device: DeviceIdentity }

/** Hours of a time-of-use tariff, in local time; other hours have the middle price. */
export interface Tariff {
  readonly offPeak: DailyWindow
  readonly peak: DailyWindow
}

/**
 * A simulated site: data that never changes. With a timeline it determines every state of the site. All of it is JSON,
 * so it can be stored and shared.
 */
export interface SiteProfile {
  readonly id: string
  readonly name: string
  readonly address: Address
  readonly seed: number
  readonly location: Location
  /** Offset of local time from UTC, minutes east; the same all year. */
  readonly utcOffsetMinutes: number
  /** First instant of the simulation, milliseconds since 1970. */
  readonly startsAt: number
  readonly climate: Climate
  readonly household: Household
  readonly tariff: Tariff
  readonly inverter?: Device<InverterProfile>
  readonly battery?: Device<BatteryProfile>
  readonly meter?: Device<object>
  readonly thermostat?: Device<ThermostatProfile>
  readonly waterHeater?: Device<WaterHeaterProfile>
  /** Without a vehicle the charger stays unplugged. */
  readonly charger?: Device<ChargerProfile>
  /** A vehicle without a charger uses a wall outlet. `device` is null if the vehicle is not part of the account. */
  readonly vehicle?: VehicleProfile & { readonly device: DeviceIdentity | null }
}
