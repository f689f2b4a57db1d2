import * as PgClient from "@effect/sql-pg/PgClient"
import type { PgConnection, Result } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Context, Effect, type Scope, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { ResponseWatch } from "./ResponseWatch.ts"

/** The limit of concurrent statements, and how many run and wait. */
export interface ConnectionUse {
  readonly most: number
  readonly inUse: number
  readonly waiting: number
}

const key = Symbol.for("@edp/server/platform/sql/pooledClient/connectionUse")
const sessionKey = Symbol.for("@edp/server/platform/sql/pooledClient/session")

/** Adds a report of connection use to a client. */
const withConnectionUse = <Client extends object>(client: Client, use: () => ConnectionUse): Client =>
  Object.assign(client, { [key]: use })

export const connectionUse = (client: SqlClient.SqlClient): ConnectionUse | undefined =>
  (client as { readonly [key]?: () => ConnectionUse })[key]?.()

/** A session of its own, which is none of the connections for statements. Undefined for the embedded database, which has one session. */
export const dedicatedSession = (client: SqlClient.SqlClient): SqlClient.SqlClient["reserve"] | undefined =>
  (client as { readonly [sessionKey]?: SqlClient.SqlClient["reserve"] })[sessionKey]

/** Listens on a channel by a connection of its own. Undefined for a client that has none to spare. */
export const listenOnChannel = (client: SqlClient.SqlClient): PgClient.PgClient["listen"] | undefined =>
  "listen" in client ? (client as PgClient.PgClient).listen : undefined

/** A connection of the pool, held or awaited. */
interface Pass {
  held: boolean
}

/**
 * Limits concurrency, first come first served, with a time limit for waiting. An Effect Semaphore is not fair: a caller that releases
 * and takes again at once passes those that wait.
 */
export class ConnectionGate {
  readonly #size: number
  readonly #patience: number
  readonly #waiting = new Set<() => void>()
  #free: number

  /** The patience is in milliseconds. */
  constructor(size: number, patience: number) {
    this.#size = size
    this.#free = size
    this.#patience = patience
  }

  get use(): ConnectionUse {
    return { most: this.#size, inUse: this.#size - this.#free, waiting: this.#waiting.size }
  }

  /** Holds a connection while the effect runs. */
  during<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> {
    return Effect.suspend(() => {
      const pass = { held: false }
      return Effect.ensuring(Effect.andThen(this.#enter(pass), effect), this.#leave(pass))
    })
  }

  /** Holds a connection until the scope is closed. */
  readonly scoped: Effect.Effect<void, SqlError.SqlError, Scope.Scope> = Effect.suspend(() => {
    const pass = { held: false }
    return Effect.andThen(
      Effect.addFinalizer(() => this.#leave(pass)),
      this.#enter(pass)
    )
  })

  #enter(pass: Pass): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.#free === 0) return this.#wait(pass)
      this.#free -= 1
      pass.held = true
      return Effect.void
    })
  }

  #leave(pass: Pass): Effect.Effect<void> {
    return Effect.sync(() => {
      if (!pass.held) return
      pass.held = false
      const [next] = this.#waiting
      if (next === undefined) this.#free += 1
      else next()
    })
  }

  #wait(pass: Pass): Effect.Effect<void, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const stop = () => {
        clearTimeout(timer)
        this.#waiting.delete(admit)
      }
      const admit = () => {
        stop()
        pass.held = true
        resume(Effect.void)
      }
      const timer = setTimeout(() => {
        stop()
        resume(Effect.fail(noneFree(this.#patience)))
      }, this.#patience)
      this.#waiting.add(admit)
      return Effect.sync(stop)
    })
  }
}

const noneFree = (patience: number) => {
  const message = `no database connection became free within ${patience / 1000} seconds`
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "acquire" })
  })
}

export interface PooledClientOptions extends PgClient.PgPoolConfig {
  readonly maxConnections: number
  /** Milliseconds after which a statement without a response ends its connection. Without it a statement waits for as long as its connection lasts. */
  readonly silence?: number | undefined
  /** The database: "pg" or "pglite". */
  readonly driver: string
}

/**
 * Milliseconds for which a request waits for a connection: longer than a burst of slow statements, and shorter than callers wait for
 * a response.
 */
const patience = 8000

/** Sessions that statements of other connections do not have: the one that shows that this process lives, and that of the move of readings. */
const sessions = 2

/** The connections of a pool, as a client takes them. */
export interface Connections {
  readonly acquirer: SqlConnection.Acquirer
  readonly transactionAcquirer: SqlConnection.Acquirer
  readonly borrower: SqlConnection.Borrower
  readonly use: () => ConnectionUse
}

/**
 * The connections of a fiber's statements, if they are not those of its client: reads on a replica. The repositories of a service, which hold
 * the client, need not know.
 */
export const OtherConnections = Context.Reference<Connections | undefined>(
  "@edp/server/platform/sql/OtherConnections",
  { defaultValue: () => undefined }
)

const makeWatch = Effect.fnUntraced(function* ({ silence }: PooledClientOptions) {
  if (silence === undefined) return undefined
  const watch = new ResponseWatch(silence)
  yield* Effect.forkScoped(watch.run)
  return watch
})

/** Unlike the driver's own pool it limits the wait for a free connection, so that a slow database does not block all requests. */
export const makeConnections = Effect.fnUntraced(function* (options: PooledClientOptions) {
  const pool = yield* PgPool.make(options)
  /** A connection to a server that is the leader no longer would fail every write. The next statement opens one to its successor. */
  const closeAtDemotion = <A>(connection: PgConnection, statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.tapError(statement, (failure) => (isDemoted(failure) ? pool.invalidate(connection) : Effect.void))
  const watch = yield* makeWatch(options)
  const toConnection = makeConnection((connection, statement) =>
    closeAtDemotion(connection, watch === undefined ? statement : watch.during(connection, statement))
  )
  const statements = options.multiplex ? (options.multiplexConcurrency ?? 32) : 1
  const gate = new ConnectionGate(options.maxConnections * statements, patience)
  return {
    acquirer: Effect.andThen(gate.scoped, Effect.map(pool.get, toConnection)),
    transactionAcquirer: Effect.andThen(gate.scoped, Effect.map(pool.reserve, toConnection)),
    borrower: (use) => gate.during(pool.use((connection) => use(toConnection(connection)))),
    use: () => gate.use
  } satisfies Connections
})

/** A connection that listens has no statements whose missing responses would show that it is silent: it gets one from time to time. */
const makeListen = Effect.fnUntraced(function* (options: PooledClientOptions) {
  const pool = yield* PgPool.make({ ...options, minConnections: 0, maxConnections: 1 })
  const watch = yield* makeWatch(options)
  return Effect.fnUntraced(function* (channel: string) {
    const connection = yield* pool.reserve
    if (watch === undefined || options.silence === undefined) return yield* connection.listen(channel)
    const notifications = yield* watch.during(connection, connection.listen(channel))
    const probe = Effect.delay(watch.during(connection, connection.query("SELECT 1")), options.silence)
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(probe)))
    return notifications
  })
})

/** The driver's pool as a client. */
export const makePooledClient = Effect.fnUntraced(function* (options: PooledClientOptions) {
  const own: Connections = yield* makeConnections(options)
  const { config, json, notify } = yield* PgClient.make({ ...options, minConnections: 0, maxConnections: 1 })
  const listen = yield* makeListen(options)
  const dedicated = yield* makeConnections({ ...options, minConnections: 0, maxConnections: sessions })
  const current = Effect.map(OtherConnections, (others) => others ?? own)
  const client = yield* SqlClient.make({
    driver: options.driver,
    compiler: PgClient.makeCompiler(options.transformQueryNames, options.transformJson),
    spanAttributes: [["db.system.name", "postgresql"]],
    acquirer: Effect.flatMap(current, ({ acquirer }) => acquirer),
    transactionAcquirer: Effect.flatMap(current, ({ transactionAcquirer }) => transactionAcquirer),
    borrower: (use) => Effect.flatMap(current, ({ borrower }) => borrower(use)),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const whole = Object.assign(client, { [PgClient.TypeId]: PgClient.TypeId, config, json, listen, notify })
  const withSession =
    options.driver === "pg" ? Object.assign(whole, { [sessionKey]: dedicated.transactionAcquirer }) : whole
  return withConnectionUse(withSession, own.use)
})

/** The state in which a server in recovery refuses a write. */
export const readOnlyState = "25006"

const isDemoted = ({ reason }: SqlError.SqlError) =>
  (reason.cause as { readonly code?: string } | undefined)?.code === readOnlyState

type Guard = <A>(
  connection: PgConnection,
  statement: Effect.Effect<A, SqlError.SqlError>
) => Effect.Effect<A, SqlError.SqlError>

const makeConnection =
  (guard: Guard) =>
  (connection: PgConnection): SqlConnection.Connection => {
    const query = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
      guard(connection, connection.query(sql, params, prepare))
    const rows = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
      Effect.map(query(sql, params, prepare), (result) => result.rows)
    return {
      execute: (sql, params, transform) => transformed(rows(sql, params), transform),
      executeUnprepared: (sql, params, transform) => transformed(rows(sql, params, false), transform),
      executeRaw: (sql, params) => query(sql, params),
      executeValues: (sql, params) => guard(connection, connection.queryValues(sql, params)),
      executeValuesUnprepared: (sql, params) => guard(connection, connection.queryValues(sql, params, false)),
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

/** PostgreSQL responds with ROLLBACK to a COMMIT after a statement of the transaction has failed. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as Result).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back a transaction in which a statement had failed"
    const cause = new Error(message)
    return Effect.fail(
      new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "commit" }) })
    )
  })
