import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"

export const revoke = Command.make(
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
