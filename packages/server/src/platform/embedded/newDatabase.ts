import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A process that makes the files of a new database in its memory, and keeps them there until it is told a folder. */
export interface NewDatabase {
  /** Makes the folder and writes the files into it; answers what went wrong, if anything did. */
  readonly writeTo: (folder: string) => Promise<string | undefined>
  readonly kill: () => void
}

const script = fileURLToPath(new URL("initEmbedded.ts", import.meta.url))

const start = (): NewDatabase => {
  // How main.ts has memory allocated would take it a second more: it copies large blocks again and again.
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
      // Where the process has ended already, that tells more than that it can't be reached.
      child.send(folder, () => undefined)
      return done
    },
    kill
  }
}

let begun: NewDatabase | undefined

/** Begins to make a database for whoever takes one next. Nothing is written before. */
export const beginNewDatabase = (): void => {
  begun ??= start()
}

/** The one that was begun, or else another one. */
export const takeNewDatabase = (): NewDatabase => {
  const taken = begun ?? start()
  begun = undefined
  return taken
}
