import { verb } from "../kernel/verb.ts"
import { randomBytes } from "node:crypto"
import { type CreateApiKey, apiKeyStatuses } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, apiKeyTypes, type RateLimits } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { several, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { SHOWN_ONCE, createdFields, keyColumns, keyFields, rotate } from "./keys/rotate.ts"

/** A repeatable flag whose choices are written in lower case. */
const choices = <const Values extends ReadonlyArray<string>>(name: string, values: Values) =>
  Flag.ChoiceWithValue(
    name,
    values.map((value): readonly [string, Values[number]] => [value.toLowerCase(), value])
  ).pipe(Flag.withDescription("Repeat for several"), Flag.atLeast(0))

const list = verb(
  "keys list",
  "List the API keys of the organization, newest first",
  {
    ...pagingFlags,
    workspaceId: several("workspace", "Keys of this workspace id only"),
    type: choices("type", apiKeyTypes),
    status: choices("status", apiKeyStatuses)
  },
  (flags) => showList(flags, "keys", keyColumns, (query) => request("apiKeys", "list", { query })),
  ["edp keys list --all", "edp keys list --type management --status active"]
)

const show = verb(
  "keys show",
  "Show an API key without its secret",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the key")) },
  ({ id }) => showRecord(request("apiKeys", "get", { params: { id } }), keyFields)
)

const types = (["API", "CONNECT", "MANAGEMENT", "MANUFACTURER", "OPENADR_BL", "OPENADR_VEN", "SERVER"] as const).map(
  (type) => [type.toLowerCase(), type] as const
)

const limit = (name: keyof RateLimits) =>
  Flag.Int(`${name}-limit`).pipe(Flag.withDescription(`Requests a minute of the class ${name}`), Flag.optional)

const create = verb(
  "keys create",
  "Create an API key and show it once",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 255 characters")),
    type: Flag.ChoiceWithValue("type", types).pipe(Flag.withDescription("Type of the key")),
    manufacturerScope: Flag.String("manufacturer").pipe(
      Flag.withDescription("Manufacturer slug that a manufacturer key covers; repeat for several"),
      Flag.atLeast(0)
    ),
    ownerId: Flag.String("owner").pipe(Flag.withDescription("Owner of a management key"), Flag.optional),
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
  Effect.fnUntraced(function* ({ bulk, read, write, ...flags }) {
    const rateLimits = given({ bulk, read, write })
    const payload = { ...given(flags), ...(Object.keys(rateLimits).length > 0 && { rateLimits }) }
    yield* showRecord(request("apiKeys", "create", { payload: payload as CreateApiKey }), createdFields)
    yield* (yield* Output).note(SHOWN_ONCE)
  }),
  [
    'edp keys create --name "Back end" --type server',
    "edp keys create --name Acme --type manufacturer --manufacturer generic"
  ]
)

const rename = verb(
  "keys rename",
  "Rename an API key",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key")),
    name: Argument.String("name").pipe(Argument.withDescription("New name, 1 to 255 characters"))
  },
  ({ id, name }) => showRecord(request("apiKeys", "update", { params: { id }, payload: { name } }), keyFields)
)

const revoke = verb(
  "keys revoke",
  "Revoke an API key immediately and irreversibly",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key")),
    keepMade: Flag.Boolean("keep-made").pipe(
      Flag.withDescription(
        "Keep the keys that dashboard sessions of a MANAGEMENT key made; by default they end with it"
      ),
      Flag.withDefault(false)
    ),
    yes
  },
  Effect.fnUntraced(function* ({ id, keepMade, yes }) {
    const { show } = yield* Output
    const key = yield* request("apiKeys", "get", { params: { id } })
    yield* confirm({
      yes,
      message: `Revoke the ${key.type} key "${key.name}" permanently? It stops working immediately.`,
      unasked: "proceed"
    })
    const response = yield* request("apiKeys", "revoke", { params: { id }, payload: keepMade ? { made: "keep" } : {} })
    yield* show({ id, ...response }, () => response.message)
  })
)

const keyTypes = apiKeyTypes.map((type) => [type.toLowerCase(), type] as const satisfies readonly [string, ApiKeyType])

const generate = verb(
  "keys generate",
  "Generate a key without a service, for EDP_BOOTSTRAP_MANAGEMENT_KEY in an unattended set-up",
  { type: Flag.ChoiceWithValue("type", keyTypes).pipe(Flag.withDescription("Type of the key")) },
  Effect.fnUntraced(function* ({ type }) {
    const { show } = yield* Output
    const key = generateKey(type, randomBytes)
    yield* show({ type, key }, () => key)
  }),
  ["edp keys generate --type management"]
).pipe(Command.withShortDescription("Generate a key without a service"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([list, create, show, rename, rotate, revoke, generate])
)
