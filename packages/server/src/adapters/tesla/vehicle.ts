import type { VehicleReading } from "@edp/domain/devices/DeviceState"
import { orNull, type VehicleData, withoutNulls } from "./answers.ts"

const MINUTE = 60_000
/** V below which a charger shows noise: an unplugged vehicle reports 2 V. */
const VOLTAGE_NOISE_V = 10
const HOME_RADIUS_M = 250
/** Mean radius of the Earth, m (IUGG). */
const EARTH_RADIUS_M = 6_371_008.8

export interface Position {
  readonly latitude: number
  readonly longitude: number
}

export interface VehicleObservation {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970: when the vehicle measured, which may be long ago while it sleeps. */
  readonly observedAt: number
  readonly state: typeof VehicleReading.Type
  /** Null where the position or the home is not known. */
  readonly isHome: boolean | null
}

const chargingStates: Readonly<Record<string, (typeof VehicleReading.Type)["chargingState"]>> = {
  Charging: "charging",
  Starting: "charging",
  Stopped: "idle",
  Complete: "idle",
  NoPower: "idle",
  Disconnected: "idle",
  Calibrating: "idle"
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The distance of two positions on the sphere, m: the haversine formula, with which short distances stay exact. */
export const haversine = (one: Position, other: Position): number => {
  const half = (angle: number) => Math.sin(angle / 2) ** 2
  const h =
    half(radians(other.latitude - one.latitude)) +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * half(radians(other.longitude - one.longitude))
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The position of a vehicle; null without the scope vehicle_location, which leaves the coordinates out. */
const position = ({ drive_state }: VehicleData): Position | null => {
  const latitude = orNull(drive_state?.latitude)
  const longitude = orNull(drive_state?.longitude)
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** Whether a vehicle is within 250 m of its home; null if either is not known. */
export const isHome = (data: VehicleData, home: Position | null): boolean | null => {
  const here = position(data)
  return here === null || home === null ? null : haversine(here, home) <= HOME_RADIUS_M
}

const within = (value: number | null, maximum: number) =>
  value === null || value > maximum ? null : Math.max(0, value)

/**
 * The reading of a vehicle, in our units: W (Tesla: kW), Wh (kWh), miles, percent. Null without state of charge or range, as
 * of a vehicle that has just woken.
 *
 * @param now Milliseconds since 1970, where the answer has no time.
 */
export const vehicleReading = (data: VehicleData, home: Position | null, now: number): VehicleObservation | null => {
  const charge = data.charge_state
  const chargePercentage = orNull(charge?.battery_level)
  const range = orNull(charge?.battery_range)
  const vin = orNull(data.vin)
  if (charge === undefined || charge === null || chargePercentage === null || range === null || vin === null)
    return null
  const observedAt = charge.timestamp ?? now
  const raw = orNull(charge.charging_state)
  const chargingState = raw === null ? "unknown" : (chargingStates[raw] ?? "unknown")
  const power = orNull(charge.charger_power)
  const energy = orNull(charge.energy_remaining)
  const voltage = within(orNull(charge.charger_voltage), 1000)
  const minutes = orNull(charge.minutes_to_full_charge)
  const completes = chargingState === "charging" && minutes !== null && minutes > 0
  return {
    manufacturerDeviceId: vin,
    observedAt,
    state: {
      chargingState,
      chargePercentage,
      range: Math.max(0, range),
      ...withoutNulls({
        chargeCompletedAt: completes ? new Date(observedAt + minutes * MINUTE).toISOString() : null,
        chargeLimit: orNull(charge.charge_limit_soc),
        charge: energy === null ? null : energy * 1000,
        isPluggedIn: raw === null || chargingStates[raw] === undefined ? null : raw !== "Disconnected",
        chargerVoltage: voltage === null ? null : voltage < VOLTAGE_NOISE_V ? 0 : voltage,
        chargerCurrent: within(orNull(charge.charger_actual_current), 1000),
        chargerWattage: power === null ? null : within(power * 1000, 1_000_000)
      })
    },
    isHome: isHome(data, home)
  }
}
