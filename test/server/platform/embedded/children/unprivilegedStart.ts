/** Opens the embedded database in a folder, as the account of the second argument when this one is root. */
import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { Effect } from "effect"
import { say } from "./output.ts"

const [folder, account] = process.argv.slice(2)
if (process.getuid?.() === 0) process.setuid?.(Number(account))

await Effect.runPromise(
  Effect.void.pipe(
    Effect.provide(EmbeddedDatabase.layer({ dataDir: folder! })),
    Effect.catch(({ message }) => Effect.sync(() => say(message)))
  )
)
