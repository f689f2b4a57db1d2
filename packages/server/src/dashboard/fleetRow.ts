import { type FleetDevice, makeFigure } from "@edp/domain/dashboard/Fleet"
import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"

/** A device with its newest reading, its site, its customer and its alerts. */
export interface FleetRow {
  readonly id: string
  readonly name: string
  readonly type: DeviceType
  readonly manufacturer: string
  readonly manufacturerName: string
  readonly model: string
  readonly serialNumber: string | null
  readonly connected: boolean
  readonly siteId: string | null
  readonly siteName: string | null
  readonly tags: ReadonlyArray<string>
  readonly at: Date | null
  readonly state: Readonly<Record<string, unknown>> | null
  readonly onlineStatus: OnlineStatus
  readonly customerId: string | null
  readonly customerName: string | null
  readonly openAlerts: number
}

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
