import type { FleetStatus } from "./responses.ts"

/** The model in a Tesla VIN is its fourth character. */
const modelsThatNeedKeys = new Set(["3", "Y", "C"])
const carTypesThatNeedKeys = new Set(["model3", "modely", "cybertruck"])

/**
 * Whether a vehicle takes only signed commands. `fleet_status` has been seen to deny it wrongly for Model 3, Model Y and
 * Cybertruck, of which every one does. Null if nothing is known.
 */
export const pairingRequired = (vin: string | null, carType: string | null, reported: boolean | null): boolean | null =>
  (vin !== null && vin.length === 17 && modelsThatNeedKeys.has(vin[3]!)) ||
  (carType !== null && carTypesThatNeedKeys.has(carType))
    ? true
    : reported

export interface Pairing {
  readonly paired: boolean
  readonly required: boolean
}

/** The pairing of one vehicle: the output of vehicle:check-pairing-status. Null if the response does not name the vehicle. */
export const pairingFromFleetStatus = (status: FleetStatus, vin: string, carType: string | null): Pairing | null => {
  const info = status.vehicle_info?.[vin]
  const paired = status.key_paired_vins?.includes(vin) === true
  if (!paired && info === undefined && status.unpaired_vins?.includes(vin) !== true) return null
  return {
    paired,
    required: pairingRequired(vin, carType, info?.vehicle_command_protocol_required ?? null) ?? false
  }
}
