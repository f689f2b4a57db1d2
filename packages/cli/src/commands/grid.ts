import {
  type GridConnection,
  gridConnectionStatuses,
  gridNotificationSettings,
  type UpdateGridConnection
} from "@edp/domain/grid/GridConnection"
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { choices, clearFlag, several, text, withCleared, yes } from "../kernel/flags.ts"
import { between, given, pagingFlags, showList } from "../kernel/paging.ts"
import { readSecret, secretFileFlag } from "../kernel/secretFlag.ts"
import type { Column } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"
import { connection } from "./grid/connection.ts"
import { events, reports, timeline } from "./grid/events.ts"
import { map, programs, terms } from "./grid/programs.ts"

const connectionColumns: ReadonlyArray<Column<GridConnection>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "VTN", value: ({ vtnUrl }) => vtnUrl },
  { title: "LAST POLL", value: ({ lastPolledAt }) => lastPolledAt, time: true, whole: true },
  { title: "ERROR", value: ({ lastError }) => lastError },
  { title: "NOTIFIED BY", value: ({ notifiedBy }) => notifiedBy, whole: true, wide: true },
  { title: "FAILING SINCE", value: ({ failingSince }) => failingSince, time: true, whole: true, wide: true },
  { title: "VEN", value: ({ venName }) => venName, wide: true },
  { title: "TARGETS", value: ({ targets }) => targets, wide: true },
  { title: "POLL S", value: ({ pollSeconds }) => pollSeconds, right: true, wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

const connectionFields = (connection: GridConnection) =>
  [
    ["id", connection.id],
    ["name", connection.name],
    ["status", connection.status],
    ["error", connection.lastError],
    ["failing since", connection.failingSince],
    ["last poll", connection.lastPolledAt],
    ["poll", `every ${connection.pollSeconds} s`],
    ["notifications", connection.notifications],
    ["notified by", connection.notifiedBy],
    ["last notified", connection.lastNotifiedAt],
    ["not notified", connection.notificationError],
    ["VTN", connection.vtnUrl],
    ["token URL", connection.tokenUrl],
    ["client", connection.clientId],
    ["VEN", connection.venName],
    ["VEN id", connection.venId],
    ["targets", connection.targets],
    ["created", connection.createdAt],
    ["updated", connection.updatedAt]
  ] as const

const secretSource = {
  flag: "client-secret-file",
  variable: "EDP_GRID_CLIENT_SECRET",
  noun: "client secret",
  question: "Client secret"
}

const readClientSecret = (file: Option.Option<string>) => Effect.map(readSecret(secretSource, file), Redacted.value)

/** Flags of `connect` and `update`. */
const settingFlags = {
  clientId: text("client-id", "Client ID at the VTN; a VTN that asks for no token needs none"),
  clientSecretFile: secretFileFlag(secretSource),
  tokenUrl: text("token-url", "Address of the token endpoint; default: the VTN is asked for it"),
  targets: several("target", "Label that requests for programs and events name"),
  pollSeconds: Flag.Int("poll-seconds").pipe(
    between(10, 3600),
    Flag.withDescription("Seconds between two polls, 10 to 3600; a new connection has 60"),
    Flag.optional
  ),
  notifications: Flag.Literals("notifications", gridNotificationSettings).pipe(
    Flag.withDescription("How the VTN is to notify of changes; a new connection has automatic"),
    Flag.optional
  )
}

const connect = verb(
  "grid connect",
  "Follow a VTN, the OpenADR server of a utility: read its programs and events from now on",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Display name")),
    vtnUrl: Flag.String("vtn-url").pipe(
      Flag.withDescription("Base address of the VTN, such as https://vtn.example.com/openadr3/3.1.0")
    ),
    venName: Flag.String("ven-name").pipe(Flag.withDescription("Name of the workspace as a VEN of the VTN")),
    ...settingFlags,
    paused: Flag.Boolean("paused").pipe(
      Flag.withDescription("Do not poll the VTN until it is resumed"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ clientSecretFile, name, paused, venName, vtnUrl, ...flags }) {
    const hasClient = Option.isSome(flags.clientId)
    if (!hasClient && Option.isSome(clientSecretFile)) return yield* usage("--client-secret-file needs --client-id")
    const payload = {
      name,
      vtnUrl,
      venName,
      ...given(flags),
      ...(hasClient && { clientSecret: yield* readClientSecret(clientSecretFile) }),
      ...(paused && { enabled: false })
    }
    yield* showRecord(request("grid", "createConnection", { payload }), connectionFields)
  }),
  [
    "edp grid connect --name 'Example Utility' --vtn-url https://vtn.example.com/openadr3/3.1.0 --ven-name example-aggregator --client-id ven-42 --client-secret-file secret.txt",
    "edp grid connect --name Prices --vtn-url https://prices.example.com/openadr3/3.1.0 --ven-name example-home --poll-seconds 300"
  ]
)

const list = verb(
  "grid list",
  "List the VTNs that the workspace follows, newest first",
  { ...pagingFlags, status: choices("status", gridConnectionStatuses) },
  (flags) =>
    showList(flags, "grid connections", connectionColumns, (query) => request("grid", "listConnections", { query }))
)

const find = (id: string) => request("grid", "getConnection", { params: { id } })

const show = verb(
  "grid show",
  "Show a grid connection and the result of its last poll",
  { connection },
  ({ connection }) => showRecord(find(connection), connectionFields)
)

const clearing = {
  client: { clientId: null },
  "token-url": { tokenUrl: null },
  targets: { targets: [] }
} as const

/** A secret is stored for an address and a client ID, so a change of these needs it again. */
const needsSecret = (before: GridConnection, changes: UpdateGridConnection) => {
  const isMoved = (["vtnUrl", "tokenUrl", "clientId"] as const).some(
    (field) => changes[field] !== undefined && changes[field] !== before[field]
  )
  return isMoved && (changes.clientId === undefined ? before.clientId : changes.clientId) !== null
}

const update = verb(
  "grid update",
  "Change a grid connection; a new address or client ID needs the client secret again",
  {
    connection,
    name: text("name", "New display name"),
    vtnUrl: text("vtn-url", "New base address of the VTN"),
    venName: text("ven-name", "New name of the workspace as a VEN"),
    ...settingFlags,
    clear: clearFlag(clearing)
  },
  Effect.fnUntraced(function* ({ clear, clientSecretFile, connection: id, ...flags }) {
    const isGiven = Option.isSome(clientSecretFile)
    const changes = { ...given(flags), ...(isGiven && { clientSecret: yield* readClientSecret(clientSecretFile) }) }
    const payload: UpdateGridConnection = yield* withCleared(changes, clearing, clear)
    const isAsked = !isGiven && needsSecret(yield* find(id), payload)
    const secret = isAsked ? { clientSecret: yield* readClientSecret(Option.none()) } : {}
    const call = request("grid", "updateConnection", { params: { id }, payload: { ...payload, ...secret } })
    yield* showRecord(call, connectionFields)
  }),
  ["edp grid update CONNECTION_ID --target zone-7 --poll-seconds 30 --notifications mqtt"]
)

const setEnabled = (name: "pause" | "resume", description: string) =>
  verb(`grid ${name}`, description, { connection }, ({ connection: id }) =>
    showRecord(
      request("grid", "updateConnection", { params: { id }, payload: { enabled: name === "resume" } }),
      connectionFields
    )
  )

const pause = setEnabled("pause", "Stop polling a VTN; planned dispatches stay as they are")
const resume = setEnabled("resume", "Poll a paused VTN again")

const disconnect = verb(
  "grid disconnect",
  "Follow a VTN no longer: remove its programs, events and reports, and cancel the dispatches of its events",
  { connection, yes },
  Effect.fnUntraced(function* ({ connection: id, yes }) {
    const { name } = yield* find(id)
    yield* confirmDeletion({
      id,
      yes,
      question: `Disconnect from "${name}"? Its programs, events and reports are removed, and the dispatches of its events are cancelled.`,
      call: request("grid", "removeConnection", { params: { id } }),
      done: `The workspace no longer follows "${name}".`
    })
  })
)

export const grid = Command.make("grid").pipe(
  Command.withDescription("Utilities' OpenADR servers that the workspace follows, their events and reports"),
  Command.withSubcommands([
    connect,
    list,
    show,
    update,
    pause,
    resume,
    disconnect,
    programs,
    map,
    terms,
    events,
    timeline,
    reports
  ])
)
