import { Command } from "effect/cli"
import { list } from "./deliveries/list.ts"
import { retry } from "./deliveries/retry.ts"
import { show } from "./deliveries/show.ts"

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("Events on their way to a destination, and what became of them"),
  Command.withSubcommands([list, show, retry])
)
