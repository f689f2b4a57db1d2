import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Redacted, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { StartError } from "../StartError.ts"
import { checkSession, transactionMode } from "./checkSession.ts"
import { type PooledClientOptions, makePooledClient } from "./pooledClient.ts"
import { decodeRows } from "./rows.ts"

/** The parts of a DATABASE_URL that may be shown. */
interface PostgresAddress {
  /** Host and port, or the folder of the Unix socket. */
  readonly host: string
  readonly database: string
  readonly user: string
}

const postgresAddress = (url: Redacted.Redacted): Effect.Effect<PostgresAddress, StartError> =>
  Effect.try({
    try: () => parse(new URL(Redacted.value(url))),
    catch: () => new StartError({ message: "DATABASE_URL must look like postgres://user:password@host:5432/database" })
  })

/** Parses an address as libpq does: parameters of the query override the rest of the address. */
const parse = (url: URL): PostgresAddress => {
  if (!/^postgres(ql)?:$/.test(url.protocol)) throw new TypeError("another protocol")
  const parameter = (name: string) => url.searchParams.get(name) || undefined
  const host = parameter("host") ?? (decodeURIComponent(url.hostname) || "localhost")
  const port = parameter("port") ?? (url.port || "5432")
  const user = parameter("user") ?? (decodeURIComponent(url.username) || process.env.USER || "")
  const database = parameter("dbname") ?? (decodeURIComponent(url.pathname.slice(1)) || user)
  return { host: host.startsWith("/") ? host : `${host}:${port}`, database, user }
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was broken off",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  ENOENT: "there is no such socket",
  ETIMEDOUT: "no response"
}

const driverReasons: Readonly<Record<string, string>> = {
  "Connection timed out": "no response within 5 seconds",
  "Connection closed unexpectedly": "the connection was broken off",
  "The server requested password authentication": "it requires a password, and DATABASE_URL has none"
}

/** A prepared statement that is gone, or that another client has left: a pooler lends the server's processes to several. */
const lostStatement = new Set(["26000", "42P05"])

/** Turns a failed connection into one line, without the password. */
const explainRefusal =
  ({ host, database, user }: PostgresAddress) =>
  ({ reason }: SqlError.SqlError): StartError => {
    const { code = "", message = "" } = (reason.cause ?? {}) as { readonly code?: string; readonly message?: string }
    if (code === "3D000") return new StartError({ message: `PostgreSQL at ${host} has no database "${database}"` })
    if (lostStatement.has(code)) return new StartError({ message: transactionMode(host) })
    const why = networkReasons[code] ?? driverReasons[message] ?? message
    if (reason._tag === "AuthenticationError") {
      return new StartError({
        message: `PostgreSQL at ${host} refused user "${user}" for database "${database}": ${why}`
      })
    }
    const what = reason.message?.includes("Failed to parse") ? "the server there is not PostgreSQL" : why
    return new StartError({ message: `cannot reach PostgreSQL at ${host} for database "${database}": ${what}` })
  }

export interface PostgresOptions {
  readonly databaseUrl: Redacted.Redacted
  readonly poolSize?: number
  /** Milliseconds after which a statement without a response ends its connection. */
  readonly silence?: number
  /** Whether statements of several fibers share a connection, and how many at once. */
  readonly multiplex?: boolean
  readonly multiplexConcurrency?: number
}

const oldestMajorVersion = 15

/** Longer than the server's limit of a statement. */
const silence = 36_000

/** The time limit of the first connection, and of its first response. */
const firstResponse = "5 seconds"

/**
 * Settings of every session, regardless of the server's configuration. Durations are in milliseconds.
 *
 * An instance that freezes inside a transaction blocks the other instances by its locks, and the event feed. The server ends its session
 * after 8 seconds; waiting for a lock takes longer than that, so the waiting sessions continue.
 */
const session = {
  idle_in_transaction_session_timeout: "8000",
  jit: "off",
  lock_timeout: "10000",
  statement_timeout: "30000",
  timezone: "UTC"
}

/** A PostgreSQL server. Building the layer checks that it responds and that its version is supported. */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  PgClient.layerFrom(open(options))

const toPoolOptions = (options: PostgresOptions): PooledClientOptions => ({
  driver: "pg",
  url: options.databaseUrl,
  applicationName: "edp",
  startupParameters: session,
  connectTimeout: firstResponse,
  keepAlive: "30 seconds",
  idleTimeout: "5 minutes",
  maxConnections: options.poolSize ?? 10,
  silence: options.silence ?? silence,
  multiplex: options.multiplex ?? false,
  multiplexConcurrency: options.multiplexConcurrency,
  preparedStatementCacheSize: 256,
  transformJson: false
})

/** The same for connections that only read. */
export const toReadOnlyPool = (options: PostgresOptions): PooledClientOptions => ({
  ...toPoolOptions(options),
  startupParameters: { ...session, default_transaction_read_only: "on" }
})

/** Checks that the server responds and that its version is supported. */
export const open = Effect.fnUntraced(function* (options: PostgresOptions) {
  const address = yield* postgresAddress(options.databaseUrl)
  const client = yield* makePooledClient(toPoolOptions(options)).pipe(Effect.mapError(explainRefusal(address)))
  yield* checkVersion(client, address)
  yield* checkSession(client, address.host, session).pipe(
    Effect.catchIf(SqlError.isSqlError, (failure) => Effect.fail(explainRefusal(address)(failure)))
  )
  return client
})

const VersionNumberRow = Schema.Struct({ version: Schema.String, number: Schema.String })

const checkVersion = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: PostgresAddress) {
  const [server] = yield* sql`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number`.pipe(
    decodeRows(VersionNumberRow),
    Effect.mapError(explainRefusal(address)),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail(new StartError({ message: `PostgreSQL at ${address.host} did not respond` }))
    })
  )
  if (Number(server?.number) >= oldestMajorVersion * 10_000) return
  return yield* new StartError({
    message: `PostgreSQL at ${address.host} is version ${server?.version}, but ${oldestMajorVersion} or newer is needed`
  })
})
