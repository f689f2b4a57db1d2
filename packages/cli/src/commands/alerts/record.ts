import type { Alert } from "@edp/domain/alerts/Alert"
import type { Column } from "../../table.ts"

export const alertColumns: ReadonlyArray<Column<Alert>> = [
  { title: "ID", value: (alert) => alert.id, whole: true },
  { title: "SEVERITY", value: (alert) => alert.severity, whole: true },
  { title: "STATUS", value: (alert) => alert.status, whole: true },
  { title: "TYPE", value: (alert) => alert.type, wide: true },
  { title: "TITLE", value: (alert) => alert.title },
  { title: "DEVICE", value: (alert) => alert.deviceName ?? alert.deviceId },
  { title: "SOURCE", value: (alert) => alert.sourceSystem, wide: true },
  { title: "CREATED", value: (alert) => alert.createdAt, time: true, whole: true, wide: true }
]

export const alertFields = (alert: Alert) =>
  [
    ["id", alert.id],
    ["title", alert.title],
    ["severity", alert.severity],
    ["status", alert.status],
    ["type", alert.subtype === null ? alert.type : `${alert.type} (${alert.subtype})`],
    ["description", alert.description],
    ["source", alert.sourceSystem],
    ["site", alert.siteId],
    ["device", alert.deviceId],
    ["created", alert.createdAt],
    ["acknowledged", alert.acknowledgedAt === null ? null : `${alert.acknowledgedAt} by ${alert.acknowledgedBy}`],
    ["snoozed until", alert.snoozedUntil],
    ["ignored", alert.ignoredAt === null ? null : `${alert.ignoredAt} by ${alert.ignoredBy}`],
    ["resolved", alert.resolvedAt === null ? null : `${alert.resolvedAt} by ${alert.resolvedBy}`]
  ] as const
