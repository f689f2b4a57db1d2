import { randomBytes } from "node:crypto"
import type { CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, apiKeyTypes, type RateLimits } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Connection } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { several } from "../kernel/flags.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
import { SHOWN_ONCE, createdFields, keyColumns, keyFields, rotate } from "./keys/rotate.ts"

const list = Command.make(
  "list",
  {
    ...pagingFlags,
    workspace: several("workspace", "Keys of this workspace id only")
  },
  Effect.fn("keys.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "list")
    const filters = given({ workspaceId: flags.workspace })
    yield* showList(flags, "keys", keyColumns, (position) => call({ query: { ...filters, ...byPage(position) } }))
  })
).pipe(
  Command.withDescription("List the API keys of the organization, newest first"),
  Command.withExamples([{ command: "edp keys list --all" }])
)

const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the key")) },
  Effect.fn("keys.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "get")
    yield* showRecord(yield* call({ params: { id } }), keyFields)
  })
).pipe(Command.withDescription("Show an API key; the key itself is never shown again"))

const types = (["API", "CONNECT", "MANAGEMENT", "MANUFACTURER", "SERVER"] as const).map(
  (type) => [type.toLowerCase(), type] as const
)

const limit = (name: keyof RateLimits) =>
  Flag.Int(`${name}-limit`).pipe(Flag.withDescription(`Requests a minute of the class ${name}`), Flag.optional)

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 255 characters")),
    type: Flag.ChoiceWithValue("type", types).pipe(Flag.withDescription("Who will use it")),
    manufacturerScope: Flag.String("manufacturer").pipe(
      Flag.withDescription("Manufacturer slug that a manufacturer key covers; repeat for several"),
      Flag.atLeast(0)
    ),
    ownerId: Flag.String("owner").pipe(Flag.withDescription("User who owns a management key"), Flag.optional),
    workspaceId: Flag.String("workspace").pipe(
      Flag.withDescription("Workspace id; default: the management key's own"),
      Flag.optional
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withDescription("Date-time such as 2030-01-01T00:00:00Z; default: never"),
      Flag.optional
    ),
    read: limit("read"),
    write: limit("write"),
    bulk: limit("bulk")
  },
  Effect.fn("keys.create")(function* ({ bulk, read, write, ...flags }) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "create")
    const rateLimits = given({ bulk, read, write })
    const payload = { ...given(flags), ...(Object.keys(rateLimits).length > 0 && { rateLimits }) }
    const created = yield* call({ payload: payload as CreateApiKey })
    yield* showRecord(created, createdFields)
    yield* (yield* Output).note(SHOWN_ONCE)
  })
).pipe(
  Command.withDescription("Create an API key and show it, this once"),
  Command.withExamples([
    { command: 'edp keys create --name "Back end" --type server' },
    { command: "edp keys create --name Acme --type manufacturer --manufacturer generic" }
  ])
)

const rename = Command.make(
  "rename",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key")),
    name: Argument.String("name").pipe(Argument.withDescription("New name, 1 to 255 characters"))
  },
  Effect.fn("keys.rename")(function* ({ id, name }) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "update")
    yield* showRecord(yield* call({ params: { id }, payload: { name } }), keyFields)
  })
).pipe(Command.withDescription("Rename an API key"))

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key")),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false))
  },
  Effect.fn("keys.revoke")(function* ({ id, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const key = yield* (yield* connection.endpoint("apiKeys", "get"))({ params: { id } })
    yield* confirm({
      yes,
      message: `Revoke the ${key.type} key "${key.name}" for ever? It stops working at once.`,
      unasked: "proceed"
    })
    const answer = yield* (yield* connection.endpoint("apiKeys", "revoke"))({ params: { id } })
    yield* show({ id, ...answer }, () => answer.message)
  })
).pipe(Command.withDescription("Revoke an API key: irreversible, and at once"))

const keyTypes = apiKeyTypes.map((type) => [type.toLowerCase(), type] as const satisfies readonly [string, ApiKeyType])

const generate = Command.make(
  "generate",
  { type: Flag.ChoiceWithValue("type", keyTypes).pipe(Flag.withDescription("What the key will be for")) },
  Effect.fn("keys.generate")(function* ({ type }) {
    const { show } = yield* Output
    const key = generateKey(type, randomBytes)
    yield* show({ type, key }, () => key)
  })
).pipe(
  Command.withDescription(
    "Print a well-formed key without asking any service: for EDP_BOOTSTRAP_MANAGEMENT_KEY of an unattended set-up"
  ),
  Command.withShortDescription("Print a well-formed key without a service"),
  Command.withExamples([{ command: "edp keys generate --type management" }])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys: who may call the service"),
  Command.withSubcommands([list, create, show, rename, rotate, revoke, generate])
)
