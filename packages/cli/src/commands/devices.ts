import { verb, confirmDeletion } from "../kernel/verb.ts"
import type { Device } from "@edp/domain/devices/Device"
import { deviceTypes, onlineStatuses } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { deviceArgument, findDevice, siteId, siteLabels } from "../kernel/find.ts"
import { clearFlag, json, parseObject, several, text, withCleared, choices, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { formatForcedMode } from "./commands/followCommand.ts"
import { formatFields } from "./commands/inputFields.ts"
import { findDeviceModel } from "./deviceModels.ts"
import { history } from "./devices/history.ts"
import { push } from "./devices/push.ts"
import { watch } from "./devices/watch.ts"

const siteLabel = ({ location, siteId }: Device, labels: ReadonlyMap<string, string>) =>
  siteId === null ? null : (labels.get(siteId) ?? location?.address.streetOne ?? siteId)

/** Includes the names of the devices' sites. */
export const deviceColumns = Effect.fn("devices.columns")(function* (devices: ReadonlyArray<Device>) {
  const labels = yield* siteLabels(devices.flatMap(({ siteId }) => siteId ?? []))
  const columns: ReadonlyArray<Column<Device>> = [
    { title: "ID", value: (device) => device.id, whole: true },
    { title: "NAME", value: (device) => device.name },
    { title: "TYPE", value: (device) => device.type, whole: true },
    { title: "SITE", value: (device) => siteLabel(device, labels) },
    { title: "ONLINE", value: (device) => device.onlineStatus, whole: true },
    { title: "LAST READING", value: (device) => device.lastOnlineAt, time: true, whole: true, wide: true },
    { title: "MANUFACTURER", value: (device) => device.manufacturer, wide: true },
    { title: "MANUFACTURER'S ID", value: (device) => device.manufacturerDeviceId, wide: true },
    { title: "MODEL", value: (device) => device.model, wide: true },
    { title: "TAGS", value: (device) => device.tags, wide: true },
    { title: "INTERVENTIONS", value: ({ interventions }) => interventions.map(({ code }) => code), wide: true },
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
  ...(device.forcedMode === undefined ? [] : [["forced mode", formatForcedMode(device.forcedMode)] as const]),
  ...device.availableCommands.map(
    ({ description, inputSchema, limits, slug }) =>
      [`command ${slug}`, inputSchema === undefined ? description : formatFields(inputSchema, limits)] as const
  ),
  ...device.interventions.map(
    ({ actor, blocks, code, steps, title }) =>
      [`intervention ${code}`, `${[title, ...steps].join(". ")} (by: ${actor}; blocks: ${blocks.join(", ")})`] as const
  ),
  ...prefixed("state", device.state),
  ...prefixed("static", device.staticState)
]

const filters = {
  type: choices("type", deviceTypes),
  manufacturer: several("manufacturer", "Manufacturer slug"),
  model: several("model", "Name of the model"),
  siteId: several("site", "Site id"),
  customerId: several("customer", "Customer id"),
  referenceId: several("reference-id", "User or account in your system"),
  manufacturerDeviceId: several("manufacturer-device-id", "The manufacturer's id"),
  serialNumber: several("serial-number", "Serial number"),
  tag: several("tag", "Tag"),
  onlineStatus: choices("online-status", onlineStatuses),
  connected: Flag.Literals("connected", ["true", "false"]).pipe(
    Flag.withDescription("true: connected now; false: disconnected"),
    Flag.optional
  ),
  collectionId: several("collection", "Collection id"),
  q: text("q", "Beginning of the name, any case")
}

const list = verb(
  "devices list",
  "List devices, newest first",
  { ...pagingFlags, ...filters },
  (flags) => showList(flags, "devices", deviceColumns, (query) => request("devices", "list", { query })),
  ["edp devices list --type inverter --online-status online"]
)

const show = verb("devices show", "Show a device with its newest state", { device: deviceArgument }, ({ device }) =>
  showRecord(findDevice(device), deviceFields)
)

interface ModelFlags {
  readonly manufacturer: string
  readonly model: Option.Option<string>
  readonly type: Option.Option<(typeof deviceTypes)[number]>
}

/** The given model, or the manufacturer's newest one of the type. */
const modelId = Effect.fnUntraced(function* ({ manufacturer, model, type }: ModelFlags) {
  if (Option.isSome(model) && Option.isNone(type)) return (yield* findDeviceModel(model.value, manufacturer)).id
  if (Option.isSome(model) || Option.isNone(type)) return yield* usage("Pass either --model or --type")
  const [newest] = (yield* request("deviceModels", "list", {
    query: { manufacturer: [manufacturer], type: [type.value], perPage: 1 }
  })).data
  if (newest !== undefined) return newest.id
  return yield* new CliFailure({
    code: "DEVICE_MODEL_NOT_FOUND",
    message: `The manufacturer ${manufacturer} has no device model of type ${type.value}`,
    details: ["edp device-models create makes one."]
  })
})

const create = verb(
  "devices create",
  "Provision a device; an identical one is returned unchanged",
  {
    manufacturerDeviceId: Flag.String("manufacturer-device-id").pipe(
      Flag.withDescription("The manufacturer's id of the device, unique per workspace and manufacturer")
    ),
    site: Flag.String("site").pipe(Flag.withDescription("Site, by id, referenceId or name")),
    manufacturer: Flag.String("manufacturer").pipe(
      Flag.withDescription("Slug of the manufacturer; default: generic"),
      Flag.withDefault("generic")
    ),
    model: text("model", "Device model, by id or name"),
    type: Flag.Literals("type", deviceTypes).pipe(
      Flag.withDescription("Instead of --model: the manufacturer's newest model of this type"),
      Flag.optional
    ),
    name: text("name", "Display name; default: the model's name"),
    serialNumber: text("serial-number", "Serial number"),
    referenceId: text("reference-id", "User or account in your system"),
    tags: several("tag", "Tag"),
    staticState: json("static", "Static state as JSON; default: the model's").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ manufacturer, manufacturerDeviceId, model, site, staticState, type, ...fields }) {
    const payload = {
      manufacturerDeviceId,
      ...given(fields),
      ...(Option.isSome(staticState) && { staticState: yield* parseObject("static", staticState.value) }),
      deviceModelId: yield* modelId({ manufacturer, model, type }),
      siteId: yield* siteId(site)
    }
    yield* showRecord(request("directIntegration", "provision", { payload }), deviceFields)
  }),
  ['edp devices create --manufacturer-device-id shed-meter --type meter --site home --name "Shed"']
)

const clearable = { site: { siteId: null }, tags: { tags: [] } } as const

const update = verb(
  "devices update",
  "Change a device; --tag replaces all tags",
  {
    device: deviceArgument,
    name: text("name", "Display name"),
    site: text("site", "Site, by id, referenceId or name"),
    referenceId: text("reference-id", "User or account in your system"),
    tags: several("tag", "Tag"),
    clear: clearFlag(clearable)
  },
  Effect.fnUntraced(function* ({ clear, device, site, ...fields }) {
    const changes = { ...given(fields), ...(Option.isSome(site) && { siteId: yield* siteId(site.value) }) }
    const payload = yield* withCleared(changes, clearable, clear)
    const { id } = yield* findDevice(device)
    yield* showRecord(request("devices", "update", { params: { id }, payload }), deviceFields)
  }),
  ['edp devices update home-meter --name "Main meter" --clear tags']
)

const remove = verb(
  "devices delete",
  "Remove a device from the workspace",
  { device: deviceArgument, yes },
  Effect.fnUntraced(function* ({ device, yes }) {
    const { id, name } = yield* findDevice(device)
    yield* confirmDeletion({
      id,
      yes,
      question: `Remove the device "${name}" from the workspace? Its readings can no longer be read.`,
      call: request("devices", "remove", { params: { id } }),
      done: `The device "${name}" is removed.`
    })
  })
)

export const devices = Command.make("devices").pipe(
  Command.withDescription("Devices, their state and their readings"),
  Command.withSubcommands([list, show, create, update, remove, push, history, watch])
)
