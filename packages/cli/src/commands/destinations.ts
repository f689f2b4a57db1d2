import { Command } from "effect/cli"
import { activate } from "./destinations/activate.ts"
import { create } from "./destinations/create.ts"
import { remove } from "./destinations/delete.ts"
import { list } from "./destinations/list.ts"
import { rotateSecret } from "./destinations/rotateSecret.ts"
import { show } from "./destinations/show.ts"
import { test } from "./destinations/test.ts"
import { update } from "./destinations/update.ts"

export const destinations = Command.make("destinations").pipe(
  Command.withDescription("Where events are delivered"),
  Command.withSubcommands([list, show, create, update, remove, test, rotateSecret, activate])
)
