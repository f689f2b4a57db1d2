import { Command } from "effect/cli"
import { create } from "./sites/create.ts"
import { remove } from "./sites/delete.ts"
import { devices } from "./sites/devices.ts"
import { importSites } from "./sites/import.ts"
import { link, unlink } from "./sites/link.ts"
import { list } from "./sites/list.ts"
import { show } from "./sites/show.ts"
import { update } from "./sites/update.ts"

export const sites = Command.make("sites").pipe(
  Command.withDescription("Sites: the places where devices are"),
  Command.withSubcommands([list, show, create, update, remove, devices, link, unlink, importSites])
)
