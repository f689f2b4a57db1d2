import { Command } from "effect/cli"
import { create } from "./devices/create.ts"
import { remove } from "./devices/delete.ts"
import { history } from "./devices/history.ts"
import { list } from "./devices/list.ts"
import { push } from "./devices/push.ts"
import { show } from "./devices/show.ts"
import { update } from "./devices/update.ts"
import { watch } from "./devices/watch.ts"

export const devices = Command.make("devices").pipe(
  Command.withDescription("Devices, their state and their readings"),
  Command.withSubcommands([list, show, create, update, remove, push, history, watch])
)
