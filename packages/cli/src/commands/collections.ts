import { Command } from "effect/cli"
import { create } from "./collections/create.ts"
import { remove } from "./collections/delete.ts"
import { list } from "./collections/list.ts"
import { addMembers, members, removeMembers } from "./collections/members.ts"
import { preview } from "./collections/preview.ts"
import { refresh } from "./collections/refresh.ts"
import { show } from "./collections/show.ts"
import { update } from "./collections/update.ts"

export const collections = Command.make("collections").pipe(
  Command.withDescription("Collections of devices, sites or customers, by criteria or by hand"),
  Command.withSubcommands([list, show, create, update, remove, members, addMembers, removeMembers, preview, refresh])
)
