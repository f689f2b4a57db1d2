import { Command } from "effect/cli"
import { create } from "./keys/create.ts"
import { generate } from "./keys/generate.ts"
import { list } from "./keys/list.ts"
import { rename } from "./keys/rename.ts"
import { revoke } from "./keys/revoke.ts"
import { rotate } from "./keys/rotate.ts"
import { show } from "./keys/show.ts"

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys: who may call the service"),
  Command.withSubcommands([list, create, show, rename, rotate, revoke, generate])
)
