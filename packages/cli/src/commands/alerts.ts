import { Command } from "effect/cli"
import { config } from "./alerts/config.ts"
import { create } from "./alerts/create.ts"
import { list } from "./alerts/list.ts"
import { ack, ignore, resolve } from "./alerts/moves.ts"
import { show } from "./alerts/show.ts"

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Alerts of devices and sites"),
  Command.withSubcommands([list, show, create, ack, ignore, resolve, config])
)
