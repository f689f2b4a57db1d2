import { verb, confirmDeletion } from "../kernel/verb.ts"
import { type Destination, destinationTypes, deviceGroups } from "@edp/domain/destinations/Destination"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { clearFlag, parseHeaders, parseObject, text, withCleared, choices, workspaceId, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const formatTarget = ({ email, kafkaConfig, phoneNumber, url }: Destination) =>
  url ??
  email ??
  phoneNumber ??
  (kafkaConfig === null ? "" : `${kafkaConfig.topic} at ${kafkaConfig.brokers.join(", ")}`)

const formatStatus = ({ deactivated, failingSince }: Destination) => {
  if (deactivated === true) return "deactivated"
  return failingSince === null ? "active" : "failing"
}

const destinationColumns: ReadonlyArray<Column<Destination>> = [
  { title: "ID", value: (destination) => destination.id, whole: true },
  { title: "TYPE", value: (destination) => destination.destinationType, whole: true },
  { title: "STATUS", value: formatStatus, whole: true },
  { title: "ADDRESS", value: formatTarget },
  { title: "LABEL", value: (destination) => destination.label },
  { title: "FAILING SINCE", value: ({ failingSince }) => failingSince, time: true, whole: true, wide: true },
  { title: "EVENTS", value: ({ eventTypes }) => eventTypes.join(", "), wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

/** The beginning of a secret, to recognise it. */
const hidden = (secret: string | null) => secret && `${secret.slice(0, 10)}… (--secret shows it)`

/** Header values may be secret. */
const formatHeaders = (headers: Destination["headers"], isRevealed: boolean) =>
  headers && (isRevealed ? headers : Object.keys(headers).join(", "))

const destinationFields = (isRevealed: boolean) => (destination: Destination) =>
  [
    ["id", destination.id],
    ["type", destination.destinationType],
    ["where", formatTarget(destination)],
    ["label", destination.label],
    ["status", formatStatus(destination)],
    ["since", destination.deactivatedAt ?? destination.failingSince],
    ["reason", destination.deactivatedReason],
    ["events", destination.eventTypes.join(", ")],
    ["devices", destination.deviceType ?? "ALL"],
    ["weather", destination.includeWeather === true],
    ["headers", formatHeaders(destination.headers, isRevealed)],
    ["secret", isRevealed ? destination.secret : hidden(destination.secret)],
    ["workspace", destination.workspaceId],
    ["created", destination.createdAt],
    ["updated", destination.updatedAt]
  ] as const

export const id = Argument.String("id").pipe(Argument.withDescription("Id of the destination"))

/** Flags of `create` and `update`. */
const settingFlags = {
  label: text("label", "Display name"),
  event: Flag.Literals("event", eventTypes).pipe(
    Flag.withDescription("Event type to deliver; repeat for several"),
    Flag.atLeast(0)
  ),
  deviceType: Flag.Literals("devices", deviceGroups).pipe(
    Flag.withDescription("Only events of these devices"),
    Flag.optional
  ),
  url: text("url-to", "URL that receives the events"),
  email: text("email", "E-mail address that receives the events"),
  phoneNumber: text("phone", "Phone number that receives the events, such as +19165550142"),
  header: Flag.String("header").pipe(
    Flag.withMetavar("'name: value'"),
    Flag.withDescription("Additional request header; repeat for several. They replace the previous ones"),
    Flag.atLeast(0)
  ),
  kafka: Flag.String("kafka").pipe(
    Flag.withMetavar("json"),
    Flag.withDescription('Kafka settings as JSON: {"brokers": ["host:9092"], "topic": "events"}'),
    Flag.optional
  ),
  weather: Flag.Boolean("weather").pipe(Flag.withDescription("Include the weather at the site"), Flag.optional)
}

interface Settings {
  readonly event: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  readonly kafka: Option.Option<string>
  readonly weather: Option.Option<boolean>
}

/** The flags that need parsing. */
const parsedSettings = Effect.fnUntraced(function* ({ event, header, kafka, weather }: Settings) {
  return {
    ...(event.length > 0 && { eventTypes: event as never }),
    ...(header.length > 0 && { headers: yield* parseHeaders(header) }),
    ...(Option.isSome(kafka) && { kafkaConfig: (yield* parseObject("kafka", kafka.value)) as never }),
    ...(Option.isSome(weather) && { includeWeather: weather.value })
  }
})

const list = verb(
  "destinations list",
  "List destinations, newest first",
  {
    ...pagingFlags,
    destinationType: choices("type", destinationTypes),
    workspaceId
  },
  (flags) => showList(flags, "destinations", destinationColumns, (query) => request("destinations", "list", { query }))
)

const show = verb(
  "destinations show",
  "Show a destination",
  {
    id,
    secret: Flag.Boolean("secret").pipe(
      Flag.withDescription("Show the secret and header values"),
      Flag.withDefault(false)
    ),
    workspaceId
  },
  ({ id, secret, workspaceId }) =>
    showRecord(
      request("destinations", "get", { params: { id }, query: given({ workspaceId }) }),
      destinationFields(secret)
    )
)

const create = verb(
  "destinations create",
  "Create a destination and show its signing secret",
  {
    ...settingFlags,
    type: Flag.Literals("type", destinationTypes).pipe(
      Flag.withDescription("Type of the destination; default: WEBHOOK"),
      Flag.withDefault("WEBHOOK")
    ),
    manufacturer: text("manufacturer", "Manufacturer whose devices' commands are delivered"),
    workspaceId
  },
  Effect.fnUntraced(function* ({ type, workspaceId, ...flags }) {
    const { deviceType, email, label, manufacturer, phoneNumber, url } = flags
    const payload = {
      destinationType: type,
      ...given({ deviceType, email, label, manufacturer, phoneNumber, url }),
      ...(yield* parsedSettings(flags))
    }
    yield* showRecord(
      request("destinations", "create", { query: given({ workspaceId }), payload }),
      destinationFields(true)
    )
  }),
  [
    "edp destinations create --url-to https://example.com/events --event ALERT_CREATED",
    "edp destinations create --type EMAIL --email ada@example.com --event ALERT_CREATED"
  ]
)

const clearing = {
  label: { label: null },
  devices: { deviceType: null },
  headers: { headers: null }
} as const

const update = verb(
  "destinations update",
  "Change a destination",
  { id, ...settingFlags, clear: clearFlag(clearing), workspaceId },
  Effect.fnUntraced(function* ({ clear, id, workspaceId, ...flags }) {
    const { deviceType, email, label, phoneNumber, url } = flags
    const changes = { ...given({ deviceType, email, label, phoneNumber, url }), ...(yield* parsedSettings(flags)) }
    const payload = yield* withCleared(changes, clearing, clear)
    const call = request("destinations", "update", { params: { id }, query: given({ workspaceId }), payload })
    yield* showRecord(call, destinationFields(false))
  }),
  ["edp destinations update DESTINATION_ID --event ALERT_CREATED --clear headers"]
)

const remove = verb(
  "destinations delete",
  "Delete a destination and its pending deliveries",
  { id, workspaceId, yes },
  Effect.fnUntraced(function* ({ id, workspaceId, yes }) {
    const query = given({ workspaceId })
    const { label } = yield* request("destinations", "get", { params: { id }, query })
    const name = label === null ? id : `"${label}"`
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the destination ${name}? Its pending deliveries are dropped.`,
      call: request("destinations", "remove", { params: { id }, query }),
      done: `The destination ${name} is deleted.`
    })
  })
)

/** Sends a sample event, shows the result, and fails when it was not accepted. */
export const sendTest = Effect.fn("destinations.test")(function* (
  id: string,
  workspaceId: Option.Option<string>,
  type: Option.Option<EventType>
) {
  const call = request("destinations", "test", {
    params: { id },
    query: given({ workspaceId }),
    payload: given({ type })
  })
  const result = yield* showRecord(call, ({ durationMs, error, responseBody, statusCode, succeeded }) => [
    ["succeeded", succeeded],
    ["status", statusCode],
    ["took", `${durationMs} ms`],
    ["error", error],
    ["response", responseBody]
  ])
  if (!result.succeeded) {
    return yield* new CliFailure({
      code: "NOT_DELIVERED",
      message: result.error ?? "The sample event was not accepted"
    })
  }
})

const test = Command.make(
  "test",
  {
    id,
    type: Flag.Literals("type", eventTypes).pipe(
      Flag.withDescription("Event type; default: the destination's first"),
      Flag.optional
    ),
    workspaceId
  },
  ({ id, type, workspaceId }) => sendTest(id, workspaceId, type)
).pipe(Command.withDescription("Send a sample event now and show the result"))

const rotateSecret = verb(
  "destinations rotate-secret",
  "Create a new secret and show it; the old one stays valid for 24 hours",
  { id, workspaceId },
  Effect.fnUntraced(function* ({ id, workspaceId }) {
    yield* showRecord(
      request("destinations", "rotateSecret", { params: { id }, query: given({ workspaceId }) }),
      destinationFields(true)
    )
    yield* (yield* Output).note("The old secret also signs for 24 hours: update the receiver")
  })
)

const activate = verb(
  "destinations activate",
  "Reactivate a destination and its pending deliveries",
  { id, workspaceId },
  ({ id, workspaceId }) =>
    showRecord(
      request("destinations", "activate", { params: { id }, query: given({ workspaceId }) }),
      destinationFields(false)
    )
)

export const destinations = Command.make("destinations").pipe(
  Command.withDescription("Destinations of events"),
  Command.withSubcommands([list, show, create, update, remove, test, rotateSecret, activate])
)
