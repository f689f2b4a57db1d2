import { type FleetDevice, makeFigure } from "@edp/domain/dashboard/Fleet"
import { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

/** A device with its newest reading, its site, its customer and its alerts. */
export const FleetRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: DeviceType,
  manufacturer: Schema.String,
  manufacturerName: Schema.String,
  model: Schema.String,
  serialNumber: Schema.NullOr(Schema.String),
  connected: Schema.Boolean,
  siteId: Schema.NullOr(Schema.String),
  siteName: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  at: Schema.NullOr(Schema.Date),
  state: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>()),
  onlineStatus: OnlineStatus,
  customerId: Schema.NullOr(Schema.String),
  customerName: Schema.NullOr(Schema.String),
  openAlerts: Schema.Finite
})
export type FleetRow = typeof FleetRow.Type

export const toFleetDevice = (row: FleetRow): FleetDevice => ({
  id: row.id,
  name: row.name,
  type: row.type,
  manufacturer: { slug: row.manufacturer, name: row.manufacturerName },
  model: row.model,
  serialNumber: row.serialNumber,
  onlineStatus: row.onlineStatus,
  status: row.connected ? "connected" : "disconnected",
  siteId: row.siteId,
  siteName: row.siteName,
  customerId: row.customerId,
  customerName: row.customerName,
  tags: row.tags,
  lastReportedAt: row.at === null ? null : row.at.toISOString(),
  figure: row.at === null || row.state === null ? null : makeFigure(row.type, row.state, row.at.toISOString()),
  openAlerts: row.openAlerts
})
