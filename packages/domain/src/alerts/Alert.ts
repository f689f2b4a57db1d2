import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, SeveralReferences, paging } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { AlertSeverity, AlertStatus } from "./AlertStatus.ts"

/** The alert in the examples of the reference, as created. */
export const alertExample = {
  id: exampleIds.alert,
  externalId: null,
  sourceSystem: "night-watch",
  alertType: null,
  type: "COMMUNICATIONS",
  subtype: "INVERTER_COMMS",
  providerCode: null,
  providerName: null,
  severity: "WARNING",
  status: "OPEN",
  title: "Inverter does not respond",
  description: null,
  deviceId: exampleIds.device,
  siteId: exampleIds.site,
  workspaceId: exampleIds.workspace,
  occurrenceCount: 1,
  lastOccurredAt: "2026-03-01T12:00:00.000Z",
  createdAt: "2026-03-01T12:00:00.000Z",
  updatedAt: "2026-03-01T12:00:00.000Z",
  acknowledgedAt: null,
  ignoredAt: null,
  resolvedAt: null,
  acknowledgedBy: null,
  ignoredBy: null,
  resolvedBy: null,
  snoozedUntil: null,
  manufacturer: "generic",
  manufacturerDeviceId: "INV-0001",
  deviceName: "Roof inverter",
  deviceType: "inverter",
  deviceModel: "Generic inverter",
  deviceSerialNumber: "SN-1"
} as const

export const alertTypes = [
  "COMMUNICATIONS",
  "POWER_LIMIT",
  "GRID_STATUS",
  "HARDWARE_FAULT",
  "FIRMWARE_UPDATE",
  "CONFIGURATION",
  "VOLTAGE_FREQUENCY",
  "STATE_OF_ENERGY",
  "TEMPERATURE",
  "ISLANDING",
  "GENERATOR",
  "SOFTWARE_PROCESS",
  "SENSOR",
  "SYSTEM_SHUTDOWN",
  "PERFORMANCE_DEGRADED",
  "SITE_LEVEL",
  "SAFETY",
  "UNKNOWN"
] as const

export const alertSubtypes = [
  "BATTERY_METER_COMMS",
  "INVERTER_COMMS",
  "PV_INVERTER_COMMS",
  "SITE_CONTROLLER_COMMS",
  "SITE_MAX_LIMITED",
  "SITE_MIN_LIMITED",
  "RAMP_RATE_LIMITED",
  "POWER_FACTOR_LIMITED",
  "GRID_FORMING",
  "GRID_FOLLOWING",
  "GRID_RESYNC_FAILED",
  "INVERTER_FAULT",
  "BATTERY_FAULT",
  "CONTACTOR_FAULT",
  "GENERATOR_FAULT",
  "OPTICASTER_EXE_FAILED",
  "CONTROL_AGENT_CRASHED",
  "LOW_SOE",
  "SLEEP_MODE",
  "WAIT_FOR_SOLAR",
  "EXTERNAL_SWITCH_SHUTDOWN",
  "GPIO_SHUTDOWN",
  "EXCESSIVE_VOLTAGE_DROP",
  "FREQUENCY_DEVIATION",
  "METER_DISCONNECTED",
  "TEMPERATURE_SENSOR_FAULT",
  "PERFORMANCE_BELOW_EXPECTATION"
] as const

export const AlertType = oneOf(alertTypes, "Type of the alert").annotate({ identifier: "AlertType" })
export const AlertSubtype = oneOf(alertSubtypes, "Subtype of the alert").annotate({
  identifier: "AlertSubtype"
})

const orNull = Schema.NullOr
const text = (maximum: number) => orNull(StoredText(maximum))
const moment = (description: string) => orNull(Timestamp).annotate({ description })
const actor = text(255).annotate({
  description: "Owner of the API key that made the change, or the key's id if it has no owner"
})

export const Alert = Schema.Struct({
  id: Cuid,
  externalId: text(255).annotate({ description: "Identifier in the source system" }),
  sourceSystem: StoredText(255).annotate({
    description:
      "System that raised the alert: a manufacturer adapter, a partner application, an automation of the caller"
  }),
  alertType: text(255).annotate({ description: "Legacy free-text type; prefer type and subtype" }),
  type: AlertType,
  subtype: orNull(AlertSubtype),
  providerCode: text(255).annotate({ description: "The provider's code of the alert" }),
  providerName: text(255).annotate({ description: "Display name of the provider" }),
  severity: AlertSeverity,
  status: AlertStatus,
  title: StoredText(500).annotate({ description: "Title, shown to users" }),
  description: text(10_000).annotate({ description: "Description, shown to users" }),
  deviceId: orNull(Cuid).annotate({ description: "Device of the alert" }),
  siteId: orNull(Cuid).annotate({ description: "Site of the alert; kept when the site is deleted" }),
  workspaceId: Cuid.annotate({ description: "The workspace of the key", examples: [exampleIds.workspace] }),
  occurrenceCount: Schema.Int.check(documents({ minimum: 1, maximum: 2_147_483_647 })).annotate({
    description: "Number of times that the source has raised the alert"
  }),
  lastOccurredAt: moment("Time when the source last raised the alert"),
  createdAt: moment("Time of creation"),
  updatedAt: moment("Time of the last change"),
  acknowledgedAt: moment("Time of the last acknowledgement"),
  ignoredAt: moment("Time when it was last ignored"),
  resolvedAt: moment("Time when it was last resolved"),
  acknowledgedBy: actor,
  ignoredBy: actor,
  resolvedBy: actor,
  snoozedUntil: moment("Follow-up is paused until this time"),
  manufacturer: text(63).annotate({ description: "Slug of the device's manufacturer" }),
  manufacturerDeviceId: text(255).annotate({ description: "The manufacturer's identifier of the device" }),
  deviceName: text(255).annotate({ description: "Name of the device" }),
  deviceType: text(63).annotate({ description: "Type of the device" }),
  deviceModel: text(255).annotate({ description: "Model of the device" }),
  deviceSerialNumber: text(255).annotate({ description: "Serial number of the device" })
}).annotate({ identifier: "Alert", description: "A problem of a device or a site", examples: [alertExample] })
export type Alert = typeof Alert.Type

const optional = Schema.optionalKey
const words = (maximum: number, description: string) => optional(orNull(Text(0, maximum)).annotate({ description }))

export const CreateAlert = Schema.Struct({
  siteId: Text(1, 100).annotate({ description: "A site of the workspace" }),
  title: Text(1, 500).annotate({ description: "Title, shown to users" }),
  sourceSystem: Text(1, 255).annotate({
    description:
      "System that raised the alert: a manufacturer adapter, a partner application, an automation of the caller"
  }),
  severity: AlertSeverity,
  deviceId: optional(orNull(Text(1, 100)).annotate({ description: "A device at that site" })),
  description: words(10_000, "Description, shown to users"),
  type: optional(AlertType).annotateKey({ default: "UNKNOWN" }),
  subtype: optional(orNull(AlertSubtype)),
  alertType: words(255, "Legacy free-text type; prefer type and subtype"),
  providerName: words(255, "Display name of the provider"),
  providerCode: words(255, "The provider's code of the alert")
}).annotate({
  identifier: "CreateAlert",
  examples: [
    {
      siteId: exampleIds.site,
      title: "Inverter does not respond",
      sourceSystem: "night-watch",
      severity: "WARNING",
      type: "COMMUNICATIONS"
    }
  ]
})
export type CreateAlert = typeof CreateAlert.Type

export const AcknowledgeAlert = Schema.Struct({
  snoozeUntil: optional(
    orNull(TimestampInput).annotate({ description: "Pauses follow-up until this time, which must be in the future" })
  )
}).annotate({ identifier: "AcknowledgeAlert", examples: [{ snoozeUntil: "2030-01-01T08:00:00Z" }] })
export type AcknowledgeAlert = typeof AcknowledgeAlert.Type

/** Filters of an alert list. */
export const AlertFilters = {
  ...paging(),
  id: optional(Several(Text(1, 100)).annotate({ description: "Only these alerts" })),
  externalId: optional(SeveralReferences(255).annotate({ description: "Identifiers in the source system" })),
  severity: optional(Several(AlertSeverity).annotate({ description: "Severity" })),
  status: optional(Several(AlertStatus).annotate({ description: "Status of the alert" })),
  type: optional(Several(AlertType).annotate({ description: "Type of the alert" })),
  siteId: optional(Several(Text(1, 100)).annotate({ description: "Alerts of these sites" })),
  deviceId: optional(Several(Text(1, 100)).annotate({ description: "Alerts of these devices" })),
  sourceSystem: optional(SeveralReferences(255).annotate({ description: "Origins of the alert" })),
  manufacturerDeviceId: optional(
    SeveralReferences(255).annotate({ description: "The manufacturer's identifiers of the devices" })
  ),
  from: optional(TimestampInput.annotate({ description: "Created at or after" })),
  to: optional(TimestampInput.annotate({ description: "Created before" }))
}
