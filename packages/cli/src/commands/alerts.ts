import { Command } from "effect/cli"
import { config } from "./alerts/config.ts"
import { list } from "./alerts/list.ts"
import { ack, ignore, resolve } from "./alerts/moves.ts"

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Alerts of devices and sites"),
  Command.withSubcommands([list, ack, ignore, resolve, config])
)
