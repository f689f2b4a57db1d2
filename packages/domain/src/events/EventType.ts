import { Schema } from "effect"

/** All event types. */
export const eventTypes = [
  "COMMAND_FAILED",
  "COMMAND_SCHEDULED",
  "COMMAND_SUCCEEDED",
  "COMMAND_OVERRIDDEN",
  "CONNECTION_FAILED",
  "CUSTOMER_CREATED",
  "CUSTOMER_DELETED",
  "CUSTOMER_UPDATED",
  "DEVICE_CONNECTED",
  "DEVICE_DISCONNECTED",
  "DEVICE_DISCOVERED",
  "DEVICE_UPDATED",
  "ENROLLMENT_APPROVED",
  "ENROLLMENT_REJECTED",
  "ENROLLMENT_SUBMITTED",
  "SITE_CREATED",
  "SITE_DELETED",
  "SITE_UPDATED",
  "ALERT_CREATED",
  "ALERT_UPDATED"
] as const

export const EventType = Schema.Literals(eventTypes).annotate({
  identifier: "EventType",
  description: "Type of the event",
  message: `Must be one of ${eventTypes.join(", ")}`
})
export type EventType = typeof EventType.Type
