import type { FleetDevice } from "@edp/domain/dashboard/Fleet"
import { csvCell } from "@edp/domain/shared/csv"

const columns = [
  "id",
  "name",
  "type",
  "manufacturer",
  "model",
  "serialNumber",
  "onlineStatus",
  "status",
  "siteId",
  "siteName",
  "customerId",
  "customerName",
  "tags",
  "lastReportedAt",
  "figure",
  "figureValue",
  "figureUnit",
  "powerW",
  "openAlerts"
] as const

export const fleetCsvHeader = `${columns.join(",")}\r\n`

const line = ({ figure, ...device }: FleetDevice) => {
  const [main, power] = figure?.values ?? []
  return [
    device.id,
    device.name,
    device.type,
    device.manufacturer.slug,
    device.model,
    device.serialNumber,
    device.onlineStatus,
    device.status,
    device.siteId,
    device.siteName,
    device.customerId,
    device.customerName,
    device.tags.join("; "),
    device.lastReportedAt,
    main?.field ?? null,
    main?.value ?? null,
    main?.unit ?? null,
    power?.value ?? (main?.unit === "W" ? main.value : null),
    device.openAlerts
  ]
    .map(csvCell)
    .join(",")
}

export const fleetCsvRows = (devices: ReadonlyArray<FleetDevice>): string =>
  devices.map((device) => `${line(device)}\r\n`).join("")
