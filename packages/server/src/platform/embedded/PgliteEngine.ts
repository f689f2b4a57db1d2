import { PGlite } from "@electric-sql/pglite"
import { Effect, type Scope } from "effect"
import { StartError } from "../StartError.ts"

/**
 * Memory is what an embedded server is short of, and WebAssembly never gives any back. PGlite runs without PostgreSQL's
 * helper processes and without interrupts: a statement_timeout never strikes, and an idle_in_transaction_session_timeout
 * ends the one session there is, so neither may be set.
 */
const settings = [
  "application_name = 'edp'",
  "jit = off",
  // Of what it logs only its end matters here, and nothing in there may quote a caller.
  "log_error_verbosity = terse",
  "log_min_error_statement = panic",
  "log_min_messages = fatal",
  "log_timezone = 'UTC'",
  "maintenance_work_mem = 16MB",
  "shared_buffers = 32MB",
  "timezone = 'UTC'"
]

/** How the log line begins, after time and process, with which the engine ends. */
const lastWords = /^\S+ \S+ \S+ \[\d+\] (FATAL|PANIC): +|^(?=Aborted\()/

/** A PGlite on a folder, spoken to in the wire protocol. */
export class PgliteEngine {
  #db: PGlite | undefined
  #complaint: string | undefined

  static async open(folder: string): Promise<PgliteEngine> {
    const engine = new PgliteEngine()
    const onStderr = (line: string) => engine.#watch(line)
    try {
      engine.#db = await PGlite.create({ dataDir: folder, postgresqlconf: settings, onStderr })
      return engine
    } catch (error) {
      throw engine.#complaint === undefined ? error : new Error(engine.#complaint, { cause: error })
    }
  }

  /**
   * Answers what the session says to a request. When it stops for good (a full disk stops it), this and every later
   * request is rejected.
   */
  async run(request: Uint8Array): Promise<Buffer> {
    const answer: Array<Buffer> = []
    const onRawData = (bytes: Uint8Array) => {
      if (this.#complaint !== undefined) throw new EngineStopped()
      // The bytes lie in the engine's own memory, which the next request overwrites.
      answer.push(Buffer.from(bytes))
    }
    if (this.#complaint === undefined) {
      await this.#db!.execProtocolRawStream(request, { syncToFs: false, onRawData }).catch((error: unknown) => {
        this.#complaint ??= String(error)
      })
    }
    if (this.#complaint !== undefined) throw new Error(this.#complaint)
    return answer.length === 1 ? answer[0]! : Buffer.concat(answer)
  }

  /** Writes everything to the files. */
  async close(): Promise<void> {
    if (this.#complaint === undefined) await this.#db!.close()
  }

  #watch(line: string): boolean {
    if (lastWords.test(line)) this.#complaint ??= line.replace(lastWords, "")
    return false
  }
}

/**
 * PGlite catches whatever is thrown out of its engine, asks for the `status` of it and calls the engine again until its
 * input is used up, which a dead engine never does. Failing that question is the way out.
 */
class EngineStopped extends Error {
  get status(): never {
    throw this
  }
}

/** An engine for as long as the scope is open. */
export const openPglite = (folder: string): Effect.Effect<PgliteEngine, StartError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => PgliteEngine.open(folder),
      catch: (error) =>
        new StartError({ message: `cannot open the database in ${folder}: ${(error as Error).message.split("\n")[0]}` })
    }),
    (engine) => Effect.promise(() => engine.close())
  )
