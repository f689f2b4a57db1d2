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
  identifier: "DeviceType",
  description: "Kind of device",
  message: `Must be one of ${deviceTypes.join(", ")}`
})
export type DeviceType = typeof DeviceType.Type

export const onlineStatuses = ["online", "asleep", "offline", "unknown"] as const

export const OnlineStatus = Schema.Literals(onlineStatuses).annotate({
  identifier: "OnlineStatus",
  description:
    "Reachability, by the time of the newest reading: online while it is at most 15 minutes old (the manufacturer's `onlineWindow`), offline after that, asleep when the source says so, unknown when there is none",
  message: `Must be one of ${onlineStatuses.join(", ")}`
})
export type OnlineStatus = typeof OnlineStatus.Type
