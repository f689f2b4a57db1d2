import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Duplex } from "node:stream"

/** How often a watch looks, of the time for which it is patient. */
const LOOKS = 8

/** Whether statements of the fiber end at a time limit. */
const IsLimited = Context.Reference<boolean>("@edp/server/platform/sql/ResponseWatch/IsLimited", {
  defaultValue: () => true
})

/** Runs the rest of a transaction, in which statements may take as long as they need. */
export const withoutTimeLimit = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.provideService(Effect.andThen(sql`SET LOCAL statement_timeout = 0`, effect), IsLimited, false)

interface Statement {
  readonly connection: PgConnection
  looks: number
}

/** The driver has no way to end a connection on which it waits. Its connections have their socket, and those of transactions have it in `base`. */
const findSocket = (connection: PgConnection): Duplex => {
  type Parts = { readonly base?: PgConnection; readonly session?: { readonly socket: Duplex } }
  const { base, session } = connection as unknown as Parts
  return session?.socket ?? findSocket(base!)
}

/**
 * Closes connections whose server does not respond. The server limits the time of each statement, but a response that is lost on an open
 * connection would be awaited for ever, and take a connection of the pool. A statement costs two entries in a set; a timeout of its own would
 * cost five times as much.
 */
export class ResponseWatch {
  readonly #statements = new Set<Statement>()
  readonly #patience: number

  /** The patience is in milliseconds, and longer than the server's own limit. */
  constructor(patience: number) {
    this.#patience = patience
  }

  /** Runs a statement, which fails as on a broken connection if it gets no response. */
  during<A, E, R>(connection: PgConnection, statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(IsLimited, (isLimited) => {
      if (!isLimited) return statement
      const entry = { connection, looks: 0 }
      this.#statements.add(entry)
      return Effect.ensuring(
        statement,
        Effect.sync(() => this.#statements.delete(entry))
      )
    })
  }

  /**
   * Counts looks instead of time, so that a process that was frozen reads the responses that came meanwhile. The timer is the machine's: a
   * clock that is set ahead by a month would look a hundred thousand times.
   */
  readonly run: Effect.Effect<never> = Effect.callback(() => {
    const timer = setInterval(() => this.#look(), this.#patience / LOOKS)
    return Effect.sync(() => clearInterval(timer))
  })

  #look() {
    for (const statement of this.#statements) {
      statement.looks += 1
      if (statement.looks <= LOOKS) continue
      const message = `no response within ${this.#patience / 1000} seconds`
      findSocket(statement.connection).destroy(new Error(message))
    }
  }
}
