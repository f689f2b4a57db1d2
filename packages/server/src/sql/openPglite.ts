import { PGlite } from "@electric-sql/pglite"
import { Effect, type Scope } from "effect"
import { StartError } from "./StartError.ts"

/**
 * Memory is what an embedded server is short of, and WebAssembly never gives any back. PGlite runs without PostgreSQL's
 * helper processes and without interrupts: a statement_timeout never strikes, and an idle_in_transaction_session_timeout
 * ends the one session there is, so neither may be set.
 */
const settings = [
  "application_name = 'edp'",
  "jit = off",
  "log_timezone = 'UTC'",
  "maintenance_work_mem = 16MB",
  "shared_buffers = 32MB",
  "timezone = 'UTC'"
]

/**
 * Opens the database for as long as the scope is open; the scope's end writes everything to the files. When the engine
 * stops for good (a full disk stops it), the statement that made it stop is rejected.
 */
export const openPglite = (folder: string): Effect.Effect<PGlite, StartError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.tryPromise({ try: () => open(folder), catch: cannotOpen(folder) }), ({ db, engine }) =>
      engine.complaint === undefined ? Effect.promise(() => db.close()) : Effect.void
    ),
    ({ db }) => db
  )

const cannotOpen = (folder: string) => (error: unknown) =>
  new StartError({ message: `cannot open the database in ${folder}: ${(error as Error).message}` })

interface Engine {
  opened: boolean
  /** Its last words. */
  complaint: string | undefined
}

const open = async (folder: string) => {
  const engine: Engine = { opened: false, complaint: undefined }
  try {
    const db = await PGlite.create({ dataDir: folder, postgresqlconf: settings, onStderr: watch(engine) })
    engine.opened = true
    return { db, engine }
  } catch (error) {
    throw engine.complaint === undefined ? error : new Error(engine.complaint)
  }
}

const watch = (engine: Engine) => (line: string) => {
  if (/(FATAL|PANIC): |^Aborted\(/.test(line)) {
    engine.complaint ??= line.replace(/^.*?(FATAL|PANIC): +/, "")
    if (engine.opened) throw new EngineStopped(engine.complaint)
  }
  return false
}

/**
 * PGlite catches whatever its engine throws, asks for the `status` of it and calls the engine again until its input is
 * used up, which a dead engine never does. Failing that question is the way out.
 */
class EngineStopped extends Error {
  get status(): never {
    throw this
  }
}
