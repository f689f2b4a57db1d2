import { Effect } from "effect"
import type { SqlClient, SqlConnection, SqlError } from "effect/sql"
import { StartError } from "../StartError.ts"
import { dedicatedSession } from "./pooledClient.ts"

/** Another client of a pooler may take the server's process between two statements, so that once is not enough. */
const LOOKS = 5

const ask = (connection: SqlConnection.Connection, statement: string) =>
  Effect.map(
    connection.executeUnprepared(statement, [], undefined),
    (rows) => rows as ReadonlyArray<{ readonly value: unknown }>
  )

const askProcess = (connection: SqlConnection.Connection) =>
  Effect.map(ask(connection, "SELECT pg_backend_pid() AS value"), ([row]) => row?.value)

/**
 * Whether two connections share a process of the server: a pooler lends it for a transaction, not for a session. An idle process that was
 * used last is lent first.
 */
const sharesProcess = Effect.fnUntraced(function* (one: SqlConnection.Connection, other: SqlConnection.Connection) {
  const process = yield* askProcess(one)
  yield* ask(other, "BEGIN")
  const isShared = process === (yield* askProcess(other)) || process !== (yield* askProcess(one))
  yield* ask(other, "ROLLBACK")
  return isShared
})

const listIgnored = Effect.fnUntraced(function* (
  connection: SqlConnection.Connection,
  settings: Readonly<Record<string, string>>
) {
  const rows = yield* ask(connection, "SELECT name || '=' || setting AS value FROM pg_settings")
  const held = new Set(rows.map(({ value }) => String(value).toLowerCase()))
  return Object.entries(settings)
    .filter(([name, value]) => !held.has(`${name}=${value}`.toLowerCase()))
    .map(([name]) => name)
})

/** Refuses a pooler that lends the server's processes for a transaction, or one that ignores the settings of sessions. */
export const checkSession = (
  sql: SqlClient.SqlClient,
  host: string,
  settings: Readonly<Record<string, string>>
): Effect.Effect<void, StartError | SqlError.SqlError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = dedicatedSession(sql)
      if (session === undefined) return
      const [one, other] = [yield* session, yield* sql.reserve]
      for (let look = 0; look < LOOKS; look++) {
        if (!(yield* sharesProcess(one, other))) continue
        return yield* new StartError({ message: transactionMode(host) })
      }
      const ignored = yield* listIgnored(one, settings)
      if (ignored.length === 0) return
      return yield* new StartError({
        message: `the pooler at ${host} ignores settings of sessions: set them for the role, by ALTER ROLE: ${ignored.join(", ")}`
      })
    })
  )

export const transactionMode = (host: string) =>
  `the pooler at ${host} is in transaction mode, but sessions are needed: use its session mode (pool_mode = session), or PostgreSQL directly`
