import type { CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import type { RateLimits } from "@edp/domain/auth/ApiKeyType"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output, showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { createdFields, SHOWN_ONCE } from "./record.ts"

const types = (["API", "CONNECT", "MANAGEMENT", "MANUFACTURER", "SERVER"] as const).map(
  (type) => [type.toLowerCase(), type] as const
)

const limit = (name: keyof RateLimits) =>
  Flag.Int(`${name}-limit`).pipe(Flag.withDescription(`Requests a minute of the class ${name}`), Flag.optional)

export const create = Command.make(
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
