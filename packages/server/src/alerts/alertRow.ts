import { Alert } from "@edp/domain/alerts/Alert"
import { String } from "effect"

type Moment =
  | "lastOccurredAt"
  | "createdAt"
  | "updatedAt"
  | "acknowledgedAt"
  | "ignoredAt"
  | "resolvedAt"
  | "snoozedUntil"

export type AlertRow = Omit<Alert, Moment> & { readonly [K in Moment]: Date | null }

/** A row's columns are the fields of an alert. */
export const alertColumns: ReadonlyArray<string> = Object.keys(Alert.fields)

/** `deviceName` is kept in `device_name`. */
export const columnOf = String.camelToSnake

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
