import type { FleetDevice } from "@edp/domain/dashboard/Fleet"

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

/** A text that a spreadsheet would take for a formula is preceded by an apostrophe. */
const guarded = (text: string) => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text)

const cell = (value: string | number | null): string => {
  if (value === null || typeof value === "number") return value === null ? "" : String(value)
  const text = guarded(value)
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

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
    .map(cell)
    .join(",")
}

export const fleetCsvRows = (devices: ReadonlyArray<FleetDevice>): string =>
  devices.map((device) => `${line(device)}\r\n`).join("")
