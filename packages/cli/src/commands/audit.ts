import { Command } from "effect/cli"
import { list } from "./audit/list.ts"

export const audit = Command.make("audit").pipe(
  Command.withDescription("What was done with MANAGEMENT keys, and where keys were refused"),
  Command.withSubcommands([list])
)
