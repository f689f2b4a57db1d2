import { type Destination, destinationTypes, deviceGroups } from "@edp/domain/destinations/Destination"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { clearFlag, parseHeaders, parseObject, text, withCleared, words } from "../kernel/flags.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const placeOf = ({ email, kafkaConfig, phoneNumber, url }: Destination) =>
  url ??
  email ??
  phoneNumber ??
  (kafkaConfig === null ? "" : `${kafkaConfig.topic} at ${kafkaConfig.brokers.join(", ")}`)

const statusOf = ({ deactivated }: Destination) => (deactivated === true ? "deactivated" : "active")

const destinationColumns: ReadonlyArray<Column<Destination>> = [
  { title: "ID", value: (destination) => destination.id, whole: true },
  { title: "TYPE", value: (destination) => destination.destinationType, whole: true },
  { title: "STATUS", value: statusOf, whole: true },
  { title: "WHERE", value: placeOf },
  { title: "LABEL", value: (destination) => destination.label },
  { title: "EVENTS", value: ({ eventTypes }) => eventTypes.join(", "), wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

/** Of a secret what tells it from another one. */
const hidden = (secret: string | null) => secret && `${secret.slice(0, 10)}… (--secret shows it)`

/** Header values may be secrets, too. */
const headersOf = (headers: Destination["headers"], isRevealed: boolean) =>
  headers && (isRevealed ? headers : Object.keys(headers).join(", "))

const destinationFields = (isRevealed: boolean) => (destination: Destination) =>
  [
    ["id", destination.id],
    ["type", destination.destinationType],
    ["where", placeOf(destination)],
    ["label", destination.label],
    ["status", statusOf(destination)],
    ["since", destination.deactivatedAt],
    ["reason", destination.deactivatedReason],
    ["events", destination.eventTypes.join(", ")],
    ["devices", destination.deviceType ?? "ALL"],
    ["weather", destination.includeWeather === true],
    ["headers", headersOf(destination.headers, isRevealed)],
    ["secret", isRevealed ? destination.secret : hidden(destination.secret)],
    ["workspace", destination.workspaceId],
    ["created", destination.createdAt],
    ["updated", destination.updatedAt]
  ] as const

export const id = Argument.String("id").pipe(Argument.withDescription("Id of the destination"))

export const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Workspace that a MANAGEMENT key means; default: its own"),
  Flag.optional
)

/** The workspace as the API takes it. */
export const ofWorkspace = (workspace: Option.Option<string>) =>
  Option.isSome(workspace) ? { workspaceId: workspace.value } : {}

/** What `create` and `update` may say. */
const settingFlags = {
  label: text("label", "A name for people"),
  event: Flag.Literals("event", eventTypes).pipe(
    Flag.withDescription("What goes there; repeat for several"),
    Flag.atLeast(0)
  ),
  deviceType: Flag.Literals("devices", deviceGroups).pipe(
    Flag.withDescription("Events of such devices alone"),
    Flag.optional
  ),
  url: text("url-to", "Where events are posted"),
  email: text("email", "Where mails go"),
  phoneNumber: text("phone", "Where messages go, such as +19165550142"),
  header: Flag.String("header").pipe(
    Flag.withMetavar("'name: value'"),
    Flag.withDescription("A further request header; repeat for several, which replace those of before"),
    Flag.atLeast(0)
  ),
  kafka: Flag.String("kafka").pipe(
    Flag.withMetavar("json"),
    Flag.withDescription('Where in Kafka, as JSON: {"brokers": ["host:9092"], "topic": "events"}'),
    Flag.optional
  ),
  weather: Flag.Boolean("weather").pipe(Flag.withDescription("Add the weather at the site"), Flag.optional)
}

interface Settings {
  readonly event: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  readonly kafka: Option.Option<string>
  readonly weather: Option.Option<boolean>
}

/** Those that are not sent as they are written. */
const parsedSettings = Effect.fnUntraced(function* ({ event, header, kafka, weather }: Settings) {
  return {
    ...(event.length > 0 && { eventTypes: event as never }),
    ...(header.length > 0 && { headers: yield* parseHeaders(header) }),
    ...(Option.isSome(kafka) && { kafkaConfig: (yield* parseObject("kafka", kafka.value)) as never }),
    ...(Option.isSome(weather) && { includeWeather: weather.value })
  }
})

const list = Command.make(
  "list",
  {
    ...pagingFlags,
    destinationType: words("type", destinationTypes),
    workspace
  },
  Effect.fn("destinations.list")(function* ({ all, destinationType, page, perPage, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "list")
    yield* showList({ all, page, perPage }, "destinations", destinationColumns, (position) =>
      call({ query: { ...given({ destinationType }), ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List destinations, newest first"))

const show = Command.make(
  "show",
  {
    id,
    secret: Flag.Boolean("secret").pipe(
      Flag.withDescription("Show the secret and header values"),
      Flag.withDefault(false)
    ),
    workspace
  },
  Effect.fn("destinations.show")(function* ({ id, secret, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "get")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(secret))
  })
).pipe(Command.withDescription("Show a destination"))

const create = Command.make(
  "create",
  {
    ...settingFlags,
    type: Flag.Literals("type", destinationTypes).pipe(
      Flag.withDescription("How events get there; default: WEBHOOK"),
      Flag.withDefault("WEBHOOK")
    ),
    manufacturer: text("manufacturer", "Slug of the manufacturer whose devices' commands go there"),
    workspace
  },
  Effect.fn("destinations.create")(function* ({ type, workspace, ...flags }) {
    const { deviceType, email, label, manufacturer, phoneNumber, url } = flags
    const payload = {
      destinationType: type,
      ...given({ deviceType, email, label, manufacturer, phoneNumber, url }),
      ...(yield* parsedSettings(flags))
    }
    const call = yield* (yield* Connection).endpoint("destinations", "create")
    yield* showRecord(yield* call({ query: ofWorkspace(workspace), payload }), destinationFields(true))
  })
).pipe(
  Command.withDescription("Create a destination, and show the secret that signs what goes there"),
  Command.withExamples([
    { command: "edp destinations create --url-to https://example.com/events --event ALERT_CREATED" },
    { command: "edp destinations create --type EMAIL --email ada@example.com --event ALERT_CREATED" }
  ])
)

const clearing = {
  label: { label: null },
  devices: { deviceType: null },
  headers: { headers: null }
} as const

const update = Command.make(
  "update",
  { id, ...settingFlags, clear: clearFlag(clearing), workspace },
  Effect.fn("destinations.update")(function* ({ clear, id, workspace, ...flags }) {
    const { deviceType, email, label, phoneNumber, url } = flags
    const changes = { ...given({ deviceType, email, label, phoneNumber, url }), ...(yield* parsedSettings(flags)) }
    const payload = yield* withCleared(changes, clearing, clear)
    const call = yield* (yield* Connection).endpoint("destinations", "update")
    const changed = yield* call({ params: { id }, query: ofWorkspace(workspace), payload })
    yield* showRecord(changed, destinationFields(false))
  })
).pipe(
  Command.withDescription("Change a destination"),
  Command.withExamples([{ command: "edp destinations update DESTINATION_ID --event ALERT_CREATED --clear headers" }])
)

const remove = Command.make(
  "delete",
  { id, workspace, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false)) },
  Effect.fn("destinations.delete")(function* ({ id, workspace, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const query = ofWorkspace(workspace)
    const { label } = yield* (yield* connection.endpoint("destinations", "get"))({ params: { id }, query })
    const name = label === null ? id : `"${label}"`
    yield* confirm({
      yes,
      message: `Delete the destination ${name}? What is still to be delivered there is dropped.`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("destinations", "remove"))({ params: { id }, query })
    yield* show({ id, deleted: true }, () => `The destination ${name} is deleted.`)
  })
).pipe(Command.withDescription("Delete a destination, and drop what was still to be delivered there"))

/** Sends a sample, shows what became of it, and fails when it was not taken. */
export const sendTest = Effect.fn("destinations.test")(function* (
  id: string,
  workspace: Option.Option<string>,
  type: Option.Option<EventType>
) {
  const call = yield* (yield* Connection).endpoint("destinations", "test")
  const result = yield* call({ params: { id }, query: ofWorkspace(workspace), payload: given({ type }) })
  yield* showRecord(result, ({ durationMs, error, responseBody, statusCode, succeeded }) => [
    ["succeeded", succeeded],
    ["status", statusCode],
    ["took", `${durationMs} ms`],
    ["error", error],
    ["answer", responseBody]
  ])
  if (!result.succeeded) {
    return yield* new CliFailure({ code: "NOT_DELIVERED", message: result.error ?? "The test was not taken" })
  }
})

const test = Command.make(
  "test",
  {
    id,
    type: Flag.Literals("type", eventTypes).pipe(
      Flag.withDescription("Type of the sample; default: the first that the destination subscribes to"),
      Flag.optional
    ),
    workspace
  },
  ({ id, type, workspace }) => sendTest(id, workspace, type)
).pipe(Command.withDescription("Send a sample event at once, and show what became of it"))

const rotateSecret = Command.make(
  "rotate-secret",
  { id, workspace },
  Effect.fn("destinations.rotate-secret")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "rotateSecret")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(true))
    yield* (yield* Output).note("For 24 hours the old secret signs as well: change the receiver over")
  })
).pipe(Command.withDescription("Make a new secret and show it; the old one signs for 24 hours more"))

const activate = Command.make(
  "activate",
  { id, workspace },
  Effect.fn("destinations.activate")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "activate")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(false))
  })
).pipe(Command.withDescription("Reopen a deactivated destination: what waited goes on"))

export const destinations = Command.make("destinations").pipe(
  Command.withDescription("Where events are delivered"),
  Command.withSubcommands([list, show, create, update, remove, test, rotateSecret, activate])
)
