import type { Device } from "@edp/domain/devices/Device"
import { Effect } from "effect"
import type { Column } from "../../table.ts"
import { siteLabels } from "../sites/find.ts"

const siteOf = ({ location, siteId }: Device, labels: ReadonlyMap<string, string>) =>
  siteId === null ? null : (labels.get(siteId) ?? location?.address.streetOne ?? siteId)

/** With the names of the sites where the devices are. */
export const deviceColumns = Effect.fn("devices.columns")(function* (devices: ReadonlyArray<Device>) {
  const labels = yield* siteLabels(devices.flatMap(({ siteId }) => siteId ?? []))
  const columns: ReadonlyArray<Column<Device>> = [
    { title: "NAME", value: (device) => device.name },
    { title: "TYPE", value: (device) => device.type, whole: true },
    { title: "SITE", value: (device) => siteOf(device, labels) },
    { title: "ONLINE", value: (device) => device.onlineStatus, whole: true },
    { title: "LAST READING", value: (device) => device.lastOnlineAt, time: true, whole: true },
    { title: "ID", value: (device) => device.id, wide: true },
    { title: "MANUFACTURER", value: (device) => device.manufacturer, wide: true },
    { title: "MANUFACTURER'S ID", value: (device) => device.manufacturerDeviceId, wide: true },
    { title: "MODEL", value: (device) => device.model, wide: true },
    { title: "TAGS", value: (device) => device.tags, wide: true },
    { title: "SITE ID", value: (device) => device.siteId, wide: true }
  ]
  return columns
})

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
