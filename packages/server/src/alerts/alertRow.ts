import { Alert, type CreateAlert } from "@edp/domain/alerts/Alert"
import type { AlertStatus } from "@edp/domain/alerts/AlertStatus"
import { String, Schema } from "effect"

const time = Schema.NullOr(Schema.Date)

export const AlertRow = Schema.Struct({
  ...Alert.fields,
  lastOccurredAt: time,
  createdAt: time,
  updatedAt: time,
  acknowledgedAt: time,
  ignoredAt: time,
  resolvedAt: time,
  snoozedUntil: time
})
export type AlertRow = typeof AlertRow.Type

/** `deviceName` is stored in `device_name`. */
export const toColumn = String.camelToSnake

const text = (date: Date | null) => date?.toISOString() ?? null

export const toAlert = (row: AlertRow): Alert => ({
  ...row,
  lastOccurredAt: text(row.lastOccurredAt),
  createdAt: text(row.createdAt),
  updatedAt: text(row.updatedAt),
  acknowledgedAt: text(row.acknowledgedAt),
  ignoredAt: text(row.ignoredAt),
  resolvedAt: text(row.resolvedAt),
  snoozedUntil: text(row.snoozedUntil)
})

/** Copied from the device, so that the alert stays readable when the device is renamed, moved or deleted. */
export type DeviceFields = Pick<
  AlertRow,
  "manufacturer" | "manufacturerDeviceId" | "deviceName" | "deviceType" | "deviceModel" | "deviceSerialNumber"
>

const noDevice: DeviceFields = {
  manufacturer: null,
  manufacturerDeviceId: null,
  deviceName: null,
  deviceType: null,
  deviceModel: null,
  deviceSerialNumber: null
}

/** A new alert: open, with one occurrence. */
export const newAlert = (
  input: CreateAlert,
  created: { readonly id: string; readonly workspaceId: string; readonly at: Date },
  device: DeviceFields = noDevice
): AlertRow => ({
  id: created.id,
  workspaceId: created.workspaceId,
  externalId: null,
  sourceSystem: input.sourceSystem,
  alertType: input.alertType ?? null,
  type: input.type ?? "UNKNOWN",
  subtype: input.subtype ?? null,
  providerCode: input.providerCode ?? null,
  providerName: input.providerName ?? null,
  severity: input.severity,
  status: "OPEN",
  title: input.title,
  description: input.description ?? null,
  deviceId: input.deviceId ?? null,
  siteId: input.siteId,
  occurrenceCount: 1,
  lastOccurredAt: created.at,
  createdAt: created.at,
  updatedAt: created.at,
  acknowledgedAt: null,
  acknowledgedBy: null,
  ignoredAt: null,
  ignoredBy: null,
  resolvedAt: null,
  resolvedBy: null,
  snoozedUntil: null,
  ...device
})

/** The actor and the time of a status change. */
interface Change {
  readonly at: Date
  readonly by: string
}

/** The columns that a change of status writes. Others stay: an alert keeps who made its earlier changes, and when. */
export type AlertChange = Readonly<
  { status: AlertStatus; snoozedUntil: Date | null; updatedAt: Date } & (
    | { acknowledgedAt: Date; acknowledgedBy: string }
    | { ignoredAt: Date; ignoredBy: string }
    | { resolvedAt: Date; resolvedBy: string }
  )
>

/**
 * The three changes of status. Each is allowed from every status, and repeating one updates its time. Only an
 * acknowledgement can snooze; the others end a snooze.
 */
export const acknowledged = ({ at, by }: Change, snoozedUntil: Date | null): AlertChange => ({
  status: "ACKNOWLEDGED",
  acknowledgedAt: at,
  acknowledgedBy: by,
  snoozedUntil,
  updatedAt: at
})

export const ignored = ({ at, by }: Change): AlertChange => ({
  status: "IGNORED",
  ignoredAt: at,
  ignoredBy: by,
  snoozedUntil: null,
  updatedAt: at
})

export const resolved = ({ at, by }: Change): AlertChange => ({
  status: "RESOLVED",
  resolvedAt: at,
  resolvedBy: by,
  snoozedUntil: null,
  updatedAt: at
})
