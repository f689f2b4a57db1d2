import { Command } from "effect/cli"
import { create } from "./workspaces/create.ts"
import { remove } from "./workspaces/delete.ts"
import { list } from "./workspaces/list.ts"
import { show } from "./workspaces/show.ts"
import { update } from "./workspaces/update.ts"

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Workspaces, which hold sites, devices and alerts apart"),
  Command.withSubcommands([list, show, create, update, remove])
)
