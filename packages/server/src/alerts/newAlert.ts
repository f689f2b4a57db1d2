import type { CreateAlert } from "@edp/domain/alerts/Alert"
import type { AlertRow } from "./alertRow.ts"

/** What an alert keeps of its device: it stays readable when the device is renamed, moved or gone. */
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

/** An alert as a caller creates it: open, and raised once. */
export const newAlert = (
  input: CreateAlert,
  place: { readonly id: string; readonly workspaceId: string; readonly at: Date },
  device: DeviceFields = noDevice
): AlertRow => ({
  id: place.id,
  workspaceId: place.workspaceId,
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
  lastOccurredAt: place.at,
  createdAt: place.at,
  updatedAt: place.at,
  acknowledgedAt: null,
  acknowledgedBy: null,
  ignoredAt: null,
  ignoredBy: null,
  resolvedAt: null,
  resolvedBy: null,
  snoozedUntil: null,
  ...device
})
