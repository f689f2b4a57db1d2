import { Effect, Layer, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { migrations as ours } from "./migrationList.ts"
import { StartError } from "../StartError.ts"
import { decodeRows } from "./rows.ts"
import { withoutTimeLimit } from "./ResponseWatch.ts"

type Record = Readonly<globalThis.Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>>

const table = "migrations"

const ExistsRow = Schema.Struct({ exists: Schema.Boolean })
const IdNameRow = Schema.Struct({ id: Schema.Finite, name: Schema.String })

/**
 * Milliseconds for which a migration waits for a lock, because callers wait behind it. It is longer than PostgreSQL's `deadlock_timeout`, after which a
 * vacuum gives way.
 */
const LOCK_WAIT = "1500"
const AGAIN = { times: 600, schedule: Schedule.spaced("1 second") }
/** An attempt takes more than two seconds, so that this tells of them once a minute at most. */
const TOLD_ATTEMPTS = 30

const findCode = (error: unknown) =>
  SqlError.isSqlError(error) ? (error.reason.cause as { readonly code?: string } | undefined)?.code : undefined

/** A table is in use by a long transaction, or both have waited for each other. */
const isBusy = (error: StartError | SqlError.SqlError | Migrator.MigrationError) =>
  ["55P03", "40P01"].includes(findCode(error._tag === "MigrationError" ? error.cause : error) ?? "")

/**
 * Migrates the database to this version in one transaction, which is repeated while a table is in use. If several instances start concurrently, one migrates and the others wait.
 * Returns the ids of the applied migrations.
 */
export const runMigrations = (
  migrations: Record
): Effect.Effect<ReadonlyArray<number>, StartError, SqlClient.SqlClient> => {
  let attempts = 0
  return Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      // A migration may take long, and so may the wait for another instance.
      withoutTimeLimit(
        sql,
        Effect.gen(function* () {
          yield* sql`SET LOCAL lock_timeout = 0`
          yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('migrations', 0))`
          yield* checkHistory(Object.keys(migrations), yield* appliedMigrations(sql))
          yield* sql`SET LOCAL lock_timeout = ${sql.literal(LOCK_WAIT)}`
          const applied = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
          return applied.map(([id]) => id)
        })
      )
    )
  ).pipe(
    Effect.tapError((error) =>
      isBusy(error) && attempts++ % TOLD_ATTEMPTS === 0
        ? Effect.logInfo("A table is in use: the migrations are rolled back, and tried again every second")
        : Effect.void
    ),
    Effect.retry({ ...AGAIN, while: isBusy }),
    Effect.catch((error) => Effect.fail(explain(error)))
  )
}

export const run = runMigrations(ours)

export const layer: Layer.Layer<never, StartError, SqlClient.SqlClient> = Layer.effectDiscard(run)

const appliedMigrations = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* decodeRows(ExistsRow)(sql`SELECT to_regclass(${table}) IS NOT NULL AS exists`)
  if (!found?.exists) {
    // The Migrator would create the same table, but hide the reason of a failure behind the aborted transaction.
    yield* sql`CREATE TABLE ${sql(table)} (
      migration_id integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), name text NOT NULL)`
    return []
  }
  const rows = yield* decodeRows(IdNameRow)(sql`
    SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY migration_id`)
  return rows.map(({ id, name }) => `${String(id).padStart(4, "0")}_${name}`)
})

/** The Migrator compares only with the highest applied number, and would silently ignore both of these cases. */
const checkHistory = Effect.fnUntraced(function* (known: ReadonlyArray<string>, applied: ReadonlyArray<string>) {
  const unknown = applied.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    return yield* new StartError({
      message: `the database holds migration ${unknown}, which this version does not know: a newer version has migrated it`
    })
  }
  const last = applied.at(-1)
  const late = last && known.find((name) => !applied.includes(name) && name < last)
  if (late) {
    return yield* new StartError({
      message: `migration ${late} comes before ${last}, which the database already holds: it needs a higher number`
    })
  }
})

const explain = (error: StartError | SqlError.SqlError | Migrator.MigrationError): StartError => {
  if (error instanceof StartError) return error
  const cause = SqlError.isSqlError(error) ? error : error.cause
  const reason = SqlError.isSqlError(cause) ? firstLine(cause.reason.cause) : firstLine(cause)
  const what = SqlError.isSqlError(error) ? "the migrations failed" : error.message.split("\n")[0]
  return new StartError({ message: reason === undefined ? `${what}` : `${what}: ${reason}` })
}

const firstLine = (cause: unknown) => (cause instanceof Error ? cause.message.split("\n")[0] : undefined)
