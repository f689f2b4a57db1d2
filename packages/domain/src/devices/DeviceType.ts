import { Schema } from "effect"
import { documents } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"

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
  description: "Type of device",
  message: `Must be one of ${deviceTypes.join(", ")}`
})
export type DeviceType = typeof DeviceType.Type

export const onlineStatuses = ["online", "asleep", "offline", "unknown"] as const

export const OnlineStatus = Schema.Literals(onlineStatuses).annotate({
  identifier: "OnlineStatus",
  description:
    "Connection status, by the time of the newest reading: online while it is at most 15 minutes old (the manufacturer's `onlineWindow`), offline after that; offline at once if the device is disconnected or does not respond to its manufacturer; asleep if the source reports it, unknown if there is no reading",
  message: `Must be one of ${onlineStatuses.join(", ")}`
})
export type OnlineStatus = typeof OnlineStatus.Type

/** Every command slug with its description. */
export const commandTypes = {
  "battery:set-reserve": "Set the share of the charge that is kept for backup",
  "battery:set-operating-mode": "Force charging, discharging or idling, or return to the battery's own settings",
  "charger:set-operating-mode": "Start or stop charging",
  "thermostat:set-operating-mode": "Set the operating mode and its target temperatures",
  "thermostat:set-fan-mode": "Set the fan mode",
  "thermostat:pause-schedule": "Pause the thermostat's own schedule",
  "thermostat:resume-schedule": "Resume the thermostat's own schedule",
  "vehicle:check-pairing-status": "Check whether the vehicle is paired and whether it must be",
  "vehicle:set-charge-limit": "Set the charge at which charging ends",
  "vehicle:set-operating-mode": "Start or stop charging"
} as const

export const commandSlugs = Object.keys(commandTypes) as ReadonlyArray<keyof typeof commandTypes>

/** Maximum number of commands of one device model. */
export const COMMANDS_LIMIT = 20

export const CommandSlug = Schema.Literals(commandSlugs).annotate({
  identifier: "CommandSlug",
  description: "A command: device type and operation",
  message: `Must be one of ${commandSlugs.join(", ")}`
})
export type CommandSlug = typeof CommandSlug.Type

/** Limits of one field, as keywords of JSON Schema. */
const Limits = Schema.Struct({
  enum: Schema.optionalKey(
    Schema.Array(StoredText(255))
      .check(documents({ maxItems: 20 }))
      .annotate({ description: "Values that the device supports" })
  ),
  minimum: Schema.optionalKey(Schema.Finite.annotate({ description: "Lowest value that the device supports" })),
  maximum: Schema.optionalKey(Schema.Finite.annotate({ description: "Highest value that the device supports" }))
}).annotate({
  identifier: "CommandFieldLimits",
  description: "Limits of one field of the input, as keywords of JSON Schema"
})

/** Limits that a device sets to the input of a command, by field. */
export const CommandLimits = Schema.Record(Schema.String, Limits).annotate({
  identifier: "CommandLimits",
  description: "Limits that the device sets to fields of the input, by field"
})
export type CommandLimits = typeof CommandLimits.Type

/** A command that a device takes. In lists of devices it has its details only if they are asked for. */
export const CommandType = Schema.Struct({
  slug: CommandSlug,
  description: StoredText(255).annotate({ description: "Effect of the command, shown to users" }),
  inputSchema: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description:
        "JSON Schema (draft 2020-12) of the command's `input`. It states all rules but the order of two fields: minimumBatteryReserve below maximumBatteryReserve, and with operatingMode auto heatTarget below coolTarget"
    })
  ),
  confirmWithin: Schema.optionalKey(
    Schema.Int.check(documents({ minimum: 1, maximum: 86_400 })).annotate({
      description: "Seconds after the delivery within which the device usually confirms the command"
    })
  ),
  limits: Schema.optionalKey(CommandLimits)
}).annotate({
  identifier: "CommandType",
  description:
    "A command that the device supports. `inputSchema`, `confirmWithin` and `limits` are in a single device, and in lists of devices only with `include=commandDetails`"
})
export type CommandType = typeof CommandType.Type
