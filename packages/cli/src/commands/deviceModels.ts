import type { DeviceModel } from "@edp/domain/device-models/DeviceModel"
import { commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"
import { isCuid } from "@edp/domain/shared/Cuid"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { clearFlag, json, parseObject, several, text, withCleared, words } from "../kernel/flags.ts"
import { CliFailure } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
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

/** A device model by its id, or by its name where one of the manufacturers has a model of that name. */
export const findDeviceModel = Effect.fn("deviceModels.find")(function* (name: string, manufacturer?: string) {
  const connection = yield* Connection
  if (isCuid(name)) return yield* (yield* connection.endpoint("deviceModels", "get"))({ params: { id: name } })
  const list = yield* connection.endpoint("deviceModels", "list")
  const filter = manufacturer === undefined ? {} : { manufacturer: [manufacturer] }
  const all = yield* Stream.runCollect(
    streamRecords((position: { readonly page?: number; readonly perPage?: number }) =>
      list({ query: { ...filter, ...byPage(position) } })
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
    message: `Several device models are called ${name}: name one by its id`,
    details: all.filter((one) => one.name === name).map(({ id, manufacturer }) => `${id} (${manufacturer})`)
  })
})

const settings = {
  staticState: json("static", "Static state of its devices, as JSON such as '{\"capacity\": 10000}'").pipe(
    Flag.optional
  ),
  commands: Flag.Literals("command", commandSlugs).pipe(
    Flag.withDescription("A command that its devices take; repeat for several"),
    Flag.atLeast(0)
  )
}

const settingsOf = Effect.fnUntraced(function* (flags: {
  readonly staticState: Option.Option<string>
  readonly commands: ReadonlyArray<(typeof commandSlugs)[number]>
}) {
  return {
    ...given({ commands: flags.commands }),
    ...(Option.isSome(flags.staticState) && { staticState: yield* parseObject("static", flags.staticState.value) })
  }
})

const list = Command.make(
  "list",
  { ...pagingFlags, manufacturer: several("manufacturer", "Manufacturer slug"), type: words("type", deviceTypes) },
  Effect.fn("deviceModels.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("deviceModels", "list")
    yield* showList({ all, page, perPage }, "device models", columns, (position) =>
      call({ query: { ...given(filters), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List device models, newest first"),
  Command.withExamples([{ command: "edp device-models list --manufacturer generic --type battery" }])
)

const show = Command.make(
  "show",
  { model: modelArgument },
  Effect.fn("deviceModels.show")(function* ({ model }) {
    yield* showRecord(yield* findDeviceModel(model), fields)
  })
).pipe(Command.withDescription("Show a device model"))

const create = Command.make(
  "create",
  {
    manufacturer: Flag.String("manufacturer").pipe(Flag.withDescription("Slug of the manufacturer")),
    name: Flag.String("name").pipe(Flag.withDescription("Unique per manufacturer")),
    type: Flag.Literals("type", deviceTypes).pipe(Flag.withDescription("Type of its devices")),
    ...settings
  },
  Effect.fn("deviceModels.create")(function* ({ manufacturer, name, type, ...rest }) {
    const payload = { manufacturer, name, type, ...(yield* settingsOf(rest)) }
    const call = yield* (yield* Connection).endpoint("deviceModels", "create")
    yield* showRecord(yield* call({ payload }), fields)
  })
).pipe(
  Command.withDescription("Create a device model"),
  Command.withExamples([
    {
      command: `edp device-models create --manufacturer acme --name "Wall 10" --type battery --static '{"capacity": 10000}'`
    }
  ])
)

const clearing = { static: { staticState: null }, commands: { commands: [] } } as const

const update = Command.make(
  "update",
  { model: modelArgument, name: text("name", "New name"), ...settings, clear: clearFlag(clearing) },
  Effect.fn("deviceModels.update")(function* ({ clear, model, name, ...rest }) {
    const payload = yield* withCleared({ ...given({ name }), ...(yield* settingsOf(rest)) }, clearing, clear)
    const { id } = yield* findDeviceModel(model)
    const call = yield* (yield* Connection).endpoint("deviceModels", "update")
    yield* showRecord(yield* call({ params: { id }, payload }), fields)
  })
).pipe(
  Command.withDescription("Change a device model; its commands and its static state are replaced whole"),
  Command.withExamples([{ command: 'edp device-models update "Wall 10" --command battery:set-reserve' }])
)

export const deviceModels = Command.make("device-models").pipe(
  Command.withDescription("Device models of the manufacturers"),
  Command.withSubcommands([list, show, create, update])
)
