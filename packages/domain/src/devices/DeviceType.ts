import { Schema } from "effect"

export const deviceTypes = [
  "battery",
  "charger",
  "inverter",
  "meter",
  "thermostat",
  "vehicle",
  "water_heater",
  "other",
  "unknown"
] as const

export const DeviceType = Schema.Literals(deviceTypes).annotate({
  message: `Must be one of ${deviceTypes.join(", ")}`
})
export type DeviceType = typeof DeviceType.Type

export const onlineStatuses = ["online", "asleep", "offline", "unknown"] as const

/** Reachability, by the readings' timestamps: online when the newest is at most 15 minutes old, else offline; asleep when the source says so; unknown when never seen. */
export const OnlineStatus = Schema.Literals(onlineStatuses).annotate({
  message: `Must be one of ${onlineStatuses.join(", ")}`
})
export type OnlineStatus = typeof OnlineStatus.Type
