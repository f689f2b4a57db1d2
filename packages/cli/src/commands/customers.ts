import { Command } from "effect/cli"
import { create } from "./customers/create.ts"
import { remove } from "./customers/delete.ts"
import { importCustomers } from "./customers/import.ts"
import { link, unlink } from "./customers/link.ts"
import { list } from "./customers/list.ts"
import { show } from "./customers/show.ts"
import { update } from "./customers/update.ts"

export const customers = Command.make("customers").pipe(
  Command.withDescription("Customers: who owns or uses devices"),
  Command.withSubcommands([list, show, create, update, remove, link, unlink, importCustomers])
)
