import type { Destination } from "@edp/domain/destinations/Destination"
import { alertExample } from "@edp/domain/alerts/Alert"
import type { Event } from "@edp/domain/events/Event"
import type { Target } from "@edp/server/destinations/senders/DestinationSender"
import { Redacted } from "effect"

const common = {
  sequence: 1,
  version: "1.0.0",
  timestamp: "2026-03-01T12:00:00.000Z",
  workspaceId: alertExample.workspaceId
} as const

const id = (n: number) => `c${String(n).padStart(24, "0")}`

/** An event of an alert, whose id is the event's subject. */
export const alertEvent = (n: number, fields: object = {}): Event => ({
  ...common,
  id: id(n),
  type: "ALERT_CREATED",
  data: { alert: { ...alertExample, ...fields } }
})

export const commandEvent = (n: number): Event => ({
  ...common,
  id: id(n),
  type: "COMMAND_SCHEDULED",
  data: {
    deviceId: id(900),
    command: {
      id: id(800),
      status: "pending",
      type: "battery:set-reserve",
      source: "user",
      issuedAt: common.timestamp,
      input: { chargePercentage: 30 },
      output: null,
      upstream: null,
      deviceId: id(900),
      transitions: [{ status: "pending", at: common.timestamp }]
    }
  }
})

/** A destination as senders get it. */
export const makeTarget = (
  fields: Partial<Target> & { readonly destinationType: Destination["destinationType"] & string }
): Target => ({
  id: id(700),
  workspaceId: common.workspaceId,
  label: null,
  url: null,
  email: null,
  phoneNumber: null,
  manufacturer: null,
  kafkaConfig: null,
  kafkaPassword: null,
  secrets: [],
  headers: Redacted.make({}),
  ...fields
})
