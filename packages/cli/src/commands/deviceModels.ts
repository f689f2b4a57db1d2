import { verb } from "../kernel/verb.ts"
import type { DeviceModel } from "@edp/domain/device-models/DeviceModel"
import { commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"
import { isCuid } from "@edp/domain/shared/Cuid"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { clearFlag, json, parseObject, several, text, withCleared, choices } from "../kernel/flags.ts"
import { CliFailure } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const columns: ReadonlyArray<Column<DeviceModel>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "MANUFACTURER", value: ({ manufacturer }) => manufacturer },
  { title: "NAME", value: ({ name }) => name },
  { title: "TYPE", value: ({ type }) => type, whole: true },
  { title: "COMMANDS", value: ({ commands }) => commands, wide: true },
  { title: "STATIC STATE", value: ({ staticState }) => staticState, wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, wide: true }
]

const fields = (model: DeviceModel) =>
  [
    ["id", model.id],
    ["manufacturer", model.manufacturer],
    ["name", model.name],
    ["type", model.type],
    ["commands", model.commands],
    ["static state", model.staticState],
    ["created", model.createdAt]
  ] as const

const modelArgument = Argument.String("model").pipe(Argument.withDescription("Id of the device model, or its name"))

/** Finds a device model by its id or its name, which exactly one model must have. */
export const findDeviceModel = Effect.fn("deviceModels.find")(function* (name: string, manufacturer?: string) {
  if (isCuid(name)) return yield* request("deviceModels", "get", { params: { id: name } })
  const filter = manufacturer === undefined ? {} : { manufacturer: [manufacturer] }
  const all = yield* Stream.runCollect(
    streamRecords((position: { readonly page?: number; readonly perPage?: number }) =>
      request("deviceModels", "list", { query: { ...filter, ...position } })
    )
  )
  const [model, another] = all.filter((one) => one.name === name)
  if (model === undefined) {
    const of = manufacturer === undefined ? "" : ` of ${manufacturer}`
    return yield* new CliFailure({
      code: "DEVICE_MODEL_NOT_FOUND",
      message: `There is no device model${of} with the id or name ${name}`
    })
  }
  if (another === undefined) return model
  return yield* new CliFailure({
    code: "DEVICE_MODEL_AMBIGUOUS",
    message: `Several device models are called ${name}: use an id`,
    details: all.filter((one) => one.name === name).map(({ id, manufacturer }) => `${id} (${manufacturer})`)
  })
})

const settings = {
  staticState: json("static", "Static state as JSON, such as '{\"capacity\": 10000}'").pipe(Flag.optional),
  commands: Flag.Literals("command", commandSlugs).pipe(
    Flag.withDescription("Supported command; repeat for several"),
    Flag.atLeast(0)
  )
}

const settingsFromFlags = Effect.fnUntraced(function* (flags: {
  readonly staticState: Option.Option<string>
  readonly commands: ReadonlyArray<(typeof commandSlugs)[number]>
}) {
  return {
    ...given({ commands: flags.commands }),
    ...(Option.isSome(flags.staticState) && { staticState: yield* parseObject("static", flags.staticState.value) })
  }
})

const list = verb(
  "device-models list",
  "List device models, newest first",
  { ...pagingFlags, manufacturer: several("manufacturer", "Manufacturer slug"), type: choices("type", deviceTypes) },
  (flags) => showList(flags, "device models", columns, (query) => request("deviceModels", "list", { query })),
  ["edp device-models list --manufacturer generic --type battery"]
)

const show = verb("device-models show", "Show a device model", { model: modelArgument }, ({ model }) =>
  showRecord(findDeviceModel(model), fields)
)

const create = verb(
  "device-models create",
  "Create a device model",
  {
    manufacturer: Flag.String("manufacturer").pipe(Flag.withDescription("Slug of the manufacturer")),
    name: Flag.String("name").pipe(Flag.withDescription("Unique per manufacturer")),
    type: Flag.Literals("type", deviceTypes).pipe(Flag.withDescription("Type of its devices")),
    ...settings
  },
  Effect.fnUntraced(function* ({ manufacturer, name, type, ...rest }) {
    const payload = { manufacturer, name, type, ...(yield* settingsFromFlags(rest)) }
    yield* showRecord(request("deviceModels", "create", { payload }), fields)
  }),
  [`edp device-models create --manufacturer acme --name "Wall 10" --type battery --static '{"capacity": 10000}'`]
)

const clearing = { static: { staticState: null }, commands: { commands: [] } } as const

const update = verb(
  "device-models update",
  "Change a device model; --command and --static replace all previous values",
  { model: modelArgument, name: text("name", "New name"), ...settings, clear: clearFlag(clearing) },
  Effect.fnUntraced(function* ({ clear, model, name, ...rest }) {
    const payload = yield* withCleared({ ...given({ name }), ...(yield* settingsFromFlags(rest)) }, clearing, clear)
    const { id } = yield* findDeviceModel(model)
    yield* showRecord(request("deviceModels", "update", { params: { id }, payload }), fields)
  }),
  ['edp device-models update "Wall 10" --command battery:set-reserve']
)

export const deviceModels = Command.make("device-models").pipe(
  Command.withDescription("Device models of the manufacturers"),
  Command.withSubcommands([list, show, create, update])
)
