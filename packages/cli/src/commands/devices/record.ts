import type { Device } from "@edp/domain/devices/Device"
import { type Column, minute } from "../../table.ts"

export const deviceColumns: ReadonlyArray<Column<Device>> = [
  { title: "ID", value: (device) => device.id, whole: true },
  { title: "NAME", value: (device) => device.name },
  { title: "TYPE", value: (device) => device.type, whole: true },
  { title: "MANUFACTURER", value: (device) => device.manufacturer, spare: true },
  { title: "MANUFACTURER'S ID", value: (device) => device.manufacturerDeviceId },
  { title: "ONLINE", value: (device) => device.onlineStatus, whole: true },
  { title: "LAST READING", value: (device) => minute(device.lastOnlineAt), whole: true },
  { title: "SITE", value: (device) => device.siteId, spare: true }
]

const address = (device: Device) => {
  const { city, postalCode, state, streetOne } = device.location?.address ?? {}
  return [streetOne, city, state, postalCode].filter((part) => part !== null && part !== undefined).join(", ")
}

const prefixed = (prefix: string, record: object | undefined) =>
  Object.entries(record ?? {}).flatMap(([name, value]) =>
    name === "id" ? [] : [[`${prefix}.${name}`, value] as const]
  )

export const deviceFields = (device: Device) => [
  ["id", device.id] as const,
  ["name", device.name] as const,
  ["type", device.type] as const,
  ["manufacturer", device.manufacturer] as const,
  ["model", device.model] as const,
  ["manufacturer's id", device.manufacturerDeviceId] as const,
  ["serial number", device.serialNumber] as const,
  ["reference", device.referenceId] as const,
  ["tags", device.tags] as const,
  ["site", device.siteId] as const,
  ["address", address(device)] as const,
  ["online", device.onlineStatus] as const,
  ["last reading", device.lastOnlineAt] as const,
  ...(device.isHome === undefined ? [] : [["at home", device.isHome] as const]),
  ["connected", device.connectedAt] as const,
  ["disconnected", device.disconnectedAt] as const,
  ["commands", device.availableCommands.map(({ slug }) => slug)] as const,
  ...prefixed("state", device.state),
  ...prefixed("static", device.staticState)
]
