import { PGlite } from "@electric-sql/pglite"
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { Effect, type Scope } from "effect"
import { StartError } from "../StartError.ts"

/**
 * WebAssembly never returns memory, so buffers are small. PGlite runs without PostgreSQL's helper processes and without
 * interrupts: a statement_timeout has no effect, and an idle_in_transaction_session_timeout would end the only session.
 */
const settings = [
  "application_name = 'edp'",
  "jit = off",
  // Only the message with which it stops is used, and logs must not quote callers.
  "log_error_verbosity = terse",
  "log_min_error_statement = panic",
  "log_min_messages = fatal",
  "log_timezone = 'UTC'",
  "maintenance_work_mem = 16MB",
  "shared_buffers = 32MB",
  "timezone = 'UTC'"
]

/** The beginning of the log line with which the engine stops. */
const lastWords = /^\S+ \S+ \S+ \[\d+\] (FATAL|PANIC): +|^(?=Aborted\()/

/** PGlite on a folder, used through the wire protocol. */
export class PgliteEngine {
  #db: PGlite | undefined
  #complaint: string | undefined

  static async open(folder: string): Promise<PgliteEngine> {
    const engine = new PgliteEngine()
    const onStderr = (line: string) => engine.#watch(line)
    try {
      engine.#db = await PGlite.create({
        dataDir: folder,
        postgresqlconf: settings,
        extensions: { pg_trgm, btree_gin },
        onStderr
      })
      return engine
    } catch (error) {
      throw engine.#complaint === undefined ? error : new Error(engine.#complaint, { cause: error })
    }
  }

  /**
   * Runs a request and returns the session's response. After the engine has stopped (for example because of a full disk), this
   * and every later request is rejected.
   */
  async run(request: Uint8Array): Promise<Buffer> {
    const response: Array<Buffer> = []
    const onRawData = (bytes: Uint8Array) => {
      if (this.#complaint !== undefined) throw new EngineStopped()
      // The bytes are in the engine's memory, which the next request overwrites.
      response.push(Buffer.from(bytes))
    }
    if (this.#complaint === undefined) {
      await this.#db!.execProtocolRawStream(request, { syncToFs: false, onRawData }).catch((error: unknown) => {
        this.#complaint ??= String(error)
      })
    }
    if (this.#complaint !== undefined) throw new Error(this.#complaint)
    return response.length === 1 ? response[0]! : Buffer.concat(response)
  }

  /** Writes all changes to the files. */
  async close(): Promise<void> {
    if (this.#complaint === undefined) await this.#db!.close()
  }

  #watch(line: string): boolean {
    if (lastWords.test(line)) this.#complaint ??= line.replace(lastWords, "")
    return false
  }
}

/**
 * PGlite catches what its engine throws, reads the exception's `status` and calls the engine again until its input is consumed, which
 * never happens in a stopped engine. Throwing from `status` ends that loop.
 */
class EngineStopped extends Error {
  get status(): never {
    throw this
  }
}

/** An engine that is closed with the scope. */
export const openPglite = (folder: string): Effect.Effect<PgliteEngine, StartError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => PgliteEngine.open(folder),
      catch: (error) =>
        new StartError({ message: `cannot open the database in ${folder}: ${(error as Error).message.split("\n")[0]}` })
    }),
    (engine) => Effect.promise(() => engine.close())
  )
