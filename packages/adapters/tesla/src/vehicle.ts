import type { Coordinates } from "@edp/domain/shared/Address"
import type { VehicleReading } from "@edp/domain/devices/DeviceState"
import { orNull, type VehicleData, withoutNulls } from "./responses.ts"

const MINUTE = 60_000
/** V below which a charger shows noise: an unplugged vehicle reports 2 V. */
const VOLTAGE_NOISE_V = 10

export interface VehicleObservation {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970: when the vehicle measured, which may be long ago while it sleeps. */
  readonly observedAt: number
  readonly state: typeof VehicleReading.Type
  /** Null without the scope vehicle_location, which leaves the coordinates out. Whether it is at home follows from it. */
  readonly location: Coordinates | null
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

/** Values of a vehicle that this adapter does not know, a sentence each. */
export const unknownValues = ({ charge_state }: VehicleData): ReadonlyArray<string> => {
  const state = orNull(charge_state?.charging_state)
  return state === null || state in chargingStates ? [] : [`The charging state ${state} of a vehicle is not known`]
}

const locate = ({ drive_state }: VehicleData): Coordinates | null => {
  const latitude = orNull(drive_state?.latitude)
  const longitude = orNull(drive_state?.longitude)
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

const within = (value: number | null, maximum: number) =>
  value === null || value > maximum ? null : Math.max(0, value)

/**
 * The reading of a vehicle, in our units: W (Tesla: kW), Wh (kWh), miles, percent. Null without state of charge or range, as
 * of a vehicle that has just woken.
 *
 * @param now Milliseconds since 1970, where the response has no time.
 */
export const vehicleReading = (data: VehicleData, now: number): VehicleObservation | null => {
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
    location: locate(data)
  }
}
