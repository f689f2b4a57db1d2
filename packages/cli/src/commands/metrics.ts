import { Command } from "effect/cli"
import { list } from "./metrics/list.ts"
import { show } from "./metrics/show.ts"

export const metrics = Command.make("metrics").pipe(
  Command.withDescription("Energies over time, as tables, CSV and charts"),
  Command.withSubcommands([list, show])
)
