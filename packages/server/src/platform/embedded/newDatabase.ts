import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A process that creates the files of a new database in memory and keeps them until it receives a folder. */
export interface NewDatabase {
  /** Creates the folder and writes the files. Returns the problem, if there is one. */
  readonly writeTo: (folder: string) => Promise<string | undefined>
  readonly kill: () => void
}

const script = fileURLToPath(new URL("initEmbedded.ts", import.meta.url))

const start = (): NewDatabase => {
  // Settings of the allocator would cost this process a second: it copies large blocks again and again.
  const { NODE_OPTIONS: _, MALLOC_MMAP_THRESHOLD_: __, MALLOC_TRIM_THRESHOLD_: ___, ...env } = process.env
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "ignore", "pipe", "ipc"] })
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  let complaints = ""
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (complaints = (complaints + text).slice(-4000)))
  const done = new Promise<string | undefined>((resolve) => {
    child.once("message", () => resolve(undefined))
    child.once("error", (error) => resolve(error.message))
    child.once("close", (code, signal) => {
      process.off("exit", kill)
      resolve(/Error: .*/.exec(complaints)?.[0] ?? `its process ended with ${signal ?? `status ${code}`}`)
    })
  })
  return {
    writeTo: (folder) => {
      // If the process has already ended, its output explains more than the failed message.
      child.send(folder, () => undefined)
      return done
    },
    kill
  }
}

let begun: NewDatabase | undefined

/** Starts to create a database in memory, for the next call of `takeNewDatabase`. */
export const beginNewDatabase = (): void => {
  begun ??= start()
}

/** The database that was started, or a new one. */
export const takeNewDatabase = (): NewDatabase => {
  const taken = begun ?? start()
  begun = undefined
  return taken
}
