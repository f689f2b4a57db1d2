import { Command } from "effect/cli"
import { history } from "./devices/history.ts"
import { list } from "./devices/list.ts"
import { show } from "./devices/show.ts"
import { watch } from "./devices/watch.ts"

export const devices = Command.make("devices").pipe(
  Command.withDescription("Devices, their state and their readings"),
  Command.withSubcommands([list, show, history, watch])
)
