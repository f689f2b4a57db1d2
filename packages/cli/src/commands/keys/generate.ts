import { randomBytes } from "node:crypto"
import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Output } from "../../Output.ts"

const types = apiKeyTypes.map((type) => [type.toLowerCase(), type] as const satisfies readonly [string, ApiKeyType])

export const generate = Command.make(
  "generate",
  { type: Flag.ChoiceWithValue("type", types).pipe(Flag.withDescription("What the key will be for")) },
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
