import { Command } from "effect/cli"
import { list } from "./events/list.ts"
import { tail } from "./events/tail.ts"

export const events = Command.make("events").pipe(
  Command.withDescription("What happened in the workspace in the last 30 days"),
  Command.withSubcommands([list, tail])
)
