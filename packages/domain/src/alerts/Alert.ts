import { Schema } from "effect"
import { oneOf } from "../devices/quantities.ts"
import { Cuid } from "../shared/Cuid.ts"
import { paging, Several } from "../shared/Page.ts"
import { Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

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

export const AlertType = oneOf(alertTypes)
export const AlertSubtype = oneOf(alertSubtypes)
export const AlertSeverity = oneOf(["CRITICAL", "WARNING", "INFO"])
export const AlertStatus = oneOf(["OPEN", "ACKNOWLEDGED", "IGNORED", "RESOLVED"])
export type AlertStatus = typeof AlertStatus.Type

const orNull = Schema.NullOr
const text = orNull(Schema.String)
const moment = (description: string) => orNull(Timestamp).annotate({ description })
const actor = orNull(Schema.String).annotate({ description: "Owner of the API key that did it, else the key's id" })

export const Alert = Schema.Struct({
  id: Cuid,
  externalId: text.annotate({ description: "Identifier in the source system" }),
  sourceSystem: Schema.String.annotate({
    description: "Origin: a manufacturer adapter, a partner application, an automation of the caller"
  }),
  alertType: text.annotate({ description: "Legacy free-text type; prefer type and subtype" }),
  type: AlertType,
  subtype: orNull(AlertSubtype),
  providerCode: text,
  providerName: text,
  severity: AlertSeverity,
  status: AlertStatus,
  title: Schema.String,
  description: text,
  deviceId: orNull(Cuid),
  siteId: orNull(Cuid),
  workspaceId: Cuid,
  occurrenceCount: Schema.Int.annotate({ description: "How often the source raised it" }),
  lastOccurredAt: moment("When the source raised it last"),
  createdAt: moment("When it was created"),
  updatedAt: moment("When it changed last"),
  acknowledgedAt: moment("When it was acknowledged"),
  ignoredAt: moment("When it was ignored"),
  resolvedAt: moment("When it was resolved"),
  acknowledgedBy: actor,
  ignoredBy: actor,
  resolvedBy: actor,
  snoozedUntil: moment("Follow-up pauses until then"),
  manufacturer: text,
  manufacturerDeviceId: text,
  deviceName: text,
  deviceType: text,
  deviceModel: text,
  deviceSerialNumber: text
}).annotate({ identifier: "Alert" })
export type Alert = typeof Alert.Type

const optional = Schema.optionalKey

export const CreateAlert = Schema.Struct({
  siteId: Text(1, 100),
  title: Text(1, 500),
  sourceSystem: Text(1, 255),
  severity: AlertSeverity,
  deviceId: optional(orNull(Text(1, 100))),
  description: optional(orNull(Text(0, 10_000))),
  type: optional(AlertType.annotate({ default: "UNKNOWN" })),
  subtype: optional(orNull(AlertSubtype)),
  alertType: optional(orNull(Text(0, 255))),
  providerName: optional(orNull(Text(0, 255))),
  providerCode: optional(orNull(Text(0, 255)))
}).annotate({
  identifier: "CreateAlert",
  examples: [
    {
      siteId: "cmj2k8x4a0q3v7n1r5t9w2y6b",
      title: "Inverter does not answer",
      sourceSystem: "night-watch",
      severity: "WARNING",
      type: "COMMUNICATIONS"
    }
  ]
})
export type CreateAlert = typeof CreateAlert.Type

export const AcknowledgeAlert = Schema.Struct({
  snoozeUntil: optional(orNull(TimestampInput).annotate({ description: "In the future: follow-up pauses until then" }))
}).annotate({ identifier: "AcknowledgeAlert", examples: [{ snoozeUntil: "2030-01-01T08:00:00Z" }] })
export type AcknowledgeAlert = typeof AcknowledgeAlert.Type

/** Filters of an alert list. */
export const AlertFilters = {
  ...paging(),
  id: optional(Text(1, 100)),
  externalId: optional(Text(1, 255)),
  severity: optional(Several(AlertSeverity)),
  status: optional(Several(AlertStatus)),
  type: optional(Several(AlertType)),
  siteId: optional(Text(1, 100)),
  deviceId: optional(Text(1, 100)),
  sourceSystem: optional(Text(1, 255)),
  manufacturerDeviceId: optional(Text(1, 255)),
  from: optional(TimestampInput.annotate({ description: "Created at or after" })),
  to: optional(TimestampInput.annotate({ description: "Created before" }))
}
