import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { makePooledClient } from "./pooledClient.ts"
import { explainRefusal, type PostgresAddress, postgresAddress } from "./postgresAddress.ts"
import { StartError } from "../StartError.ts"

export interface PostgresOptions {
  readonly databaseUrl: Redacted.Redacted
  readonly poolSize?: number
  /** Whether statements of several fibers share a connection, and how many at once. */
  readonly multiplex?: boolean
  readonly multiplexConcurrency?: number
}

const oldestMajorVersion = 15

/** How long the first connection may take, and then its first answer. */
const firstAnswer = "5 seconds"

/**
 * What holds in every session, whatever the server's own configuration says. Durations are in milliseconds.
 *
 * An instance that freezes inside a transaction holds its locks, and all events after its own, back from the other
 * instances: the server ends its session after 8 seconds, so that within 10 the others go on. Whoever waits for a lock of that
 * transaction waits longer than that, and goes on, too.
 */
const session = {
  idle_in_transaction_session_timeout: "8000",
  jit: "off",
  lock_timeout: "10000",
  statement_timeout: "30000",
  timezone: "UTC"
}

/** A PostgreSQL server, known to answer and to be new enough when the layer is built. */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  PgClient.layerFrom(open(options))

const open = Effect.fnUntraced(function* (options: PostgresOptions) {
  const address = yield* postgresAddress(options.databaseUrl)
  const client = yield* makePooledClient({
    driver: "pg",
    url: options.databaseUrl,
    applicationName: "edp",
    startupParameters: session,
    connectTimeout: firstAnswer,
    keepAlive: "30 seconds",
    idleTimeout: "5 minutes",
    maxConnections: options.poolSize ?? 10,
    multiplex: options.multiplex ?? false,
    multiplexConcurrency: options.multiplexConcurrency,
    preparedStatementCacheSize: 256,
    transformJson: false
  }).pipe(Effect.mapError(explainRefusal(address)))
  yield* checkVersion(client, address)
  return client
})

const checkVersion = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: PostgresAddress) {
  const [server] = yield* sql<{ version: string; number: string }>`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number`.pipe(
    Effect.mapError(explainRefusal(address)),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail(new StartError({ message: `PostgreSQL at ${address.place} gave no answer` }))
    })
  )
  if (Number(server?.number) >= oldestMajorVersion * 10_000) return
  return yield* new StartError({
    message: `PostgreSQL at ${address.place} is version ${server?.version}, but ${oldestMajorVersion} or newer is needed`
  })
})
