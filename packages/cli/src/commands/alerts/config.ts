import { Command } from "effect/cli"
import { clear } from "./config/clear.ts"
import { set } from "./config/set.ts"
import { show } from "./config/show.ts"

export const config = Command.make("config").pipe(
  Command.withDescription("Which alerts the lists of a workspace show"),
  Command.withSubcommands([show, set, clear])
)
