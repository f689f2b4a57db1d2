/** Locks the folder of its argument, says so, and keeps it until it is terminated to end by SIGTERM. */
import { lockFolder } from "@edp/server/platform/embedded/folderLock"
import { Effect } from "effect"
import { once } from "node:events"
import { complain, say } from "./output.ts"

const terminated = once(process, "SIGTERM")
const hold = lockFolder(process.argv[2]!).pipe(
  Effect.andThen(Effect.sync(() => say("locked"))),
  Effect.andThen(Effect.promise(() => terminated)),
  Effect.scoped,
  Effect.catch(({ message }) =>
    Effect.sync(() => {
      complain(message)
      process.exitCode = 1
    })
  )
)
// A listener for signals does not keep a process alive.
const alive = setInterval(() => undefined, 60_000)
await Effect.runPromise(hold)
clearInterval(alive)
