import * as PgClient from "@effect/sql-pg/PgClient"
import type { PgConnection, Result } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { ConnectionGate } from "./ConnectionGate.ts"
import { withConnectionUse } from "./connectionUse.ts"

export interface PooledClientOptions extends PgClient.PgPoolConfig {
  readonly maxConnections: number
  /** Which database it is, for those who must know: "pg" or "pglite". */
  readonly driver: string
}

/**
 * How long a request waits for a connection before it is told to come back, in milliseconds: longer than a burst of slow
 * questions lasts, and shorter than callers wait for an answer.
 */
const patience = 8000

/** Listeners keep a connection each. They have a pool of their own, so that they take none from the statements. */
const listeners = 2

/**
 * The driver's pool as a client. The driver's own client differs in one thing: it waits for a free connection without
 * end, and a database that is too slow would take every request down with it.
 */
export const makePooledClient = Effect.fnUntraced(function* (options: PooledClientOptions) {
  const pool = yield* PgPool.make(options)
  const listening = yield* PgClient.make({ ...options, minConnections: 0, maxConnections: listeners })
  const statements = options.multiplex ? (options.multiplexConcurrency ?? 32) : 1
  const gate = new ConnectionGate(options.maxConnections * statements, patience)
  const client = yield* SqlClient.make({
    driver: options.driver,
    compiler: PgClient.makeCompiler(options.transformQueryNames, options.transformJson),
    spanAttributes: [["db.system.name", "postgresql"]],
    acquirer: Effect.andThen(gate.scoped, Effect.map(pool.get, toConnection)),
    transactionAcquirer: Effect.andThen(gate.scoped, Effect.map(pool.reserve, toConnection)),
    borrower: (use) => gate.during(pool.use((connection) => use(toConnection(connection)))),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const { config, json, listen, notify } = listening
  const whole = Object.assign(client, { [PgClient.TypeId]: PgClient.TypeId, config, json, listen, notify })
  return withConnectionUse(whole, () => gate.use)
})

const toConnection = (connection: PgConnection): SqlConnection.Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
    Effect.map(connection.query(sql, params, prepare), (result) => result.rows)
  return {
    execute: (sql, params, transform) => transformed(rows(sql, params), transform),
    executeUnprepared: (sql, params, transform) => transformed(rows(sql, params, false), transform),
    executeRaw: (sql, params) => connection.query(sql, params),
    executeValues: (sql, params) => connection.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => connection.queryValues(sql, params, false),
    executeStream: (sql, params, transform) =>
      transform === undefined
        ? connection.stream(sql, params)
        : Stream.mapArray(connection.stream(sql, params), (part) => transform(part) as typeof part)
  }
}

type Rows = ReadonlyArray<Result["rows"][number]>

const transformed = (
  rows: Effect.Effect<Rows, SqlError.SqlError>,
  transform: (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined
) => (transform === undefined ? rows : Effect.map(rows, transform))

/** PostgreSQL answers ROLLBACK to the COMMIT of a transaction in which a statement has failed. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as Result).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back a transaction in which a statement had failed"
    const cause = new Error(message)
    return Effect.fail(
      new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "commit" }) })
    )
  })
