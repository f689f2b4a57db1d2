import { Command } from "effect/cli"
import { add, remove } from "./tags/change.ts"
import { list } from "./tags/list.ts"

export const tags = Command.make("tags").pipe(
  Command.withDescription("Tags, by which devices and sites are grouped"),
  Command.withSubcommands([list, add, remove])
)
