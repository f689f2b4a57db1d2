import type { DeviceGroup } from "@edp/domain/destinations/Destination"

/** The device types of a group; ALL is every one. */
const groups: Readonly<Record<Exclude<DeviceGroup, "ALL">, ReadonlyArray<string>>> = {
  BATTERIES: ["battery"],
  CHARGERS: ["charger"],
  SOLAR_INVERTERS: ["inverter"],
  THERMOSTATS: ["thermostat"],
  VEHICLES: ["vehicle"],
  OTHER: ["meter", "water_heater", "other"],
  UNKNOWN: ["unknown"]
}

/** Each device type's group, as the branches of a CASE; any other type's is UNKNOWN. */
export const groupCases = Object.entries(groups)
  .flatMap(([group, types]) => types.map((type) => `WHEN '${type}' THEN '${group}'`))
  .join(" ")
