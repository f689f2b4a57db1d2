import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { readOnlyState } from "./pooledClient.ts"

/** Whether the database takes reads and writes: `full` and `read_only` mean that it only responds to reads. */
export type DatabaseState = "ok" | "unreachable" | "full" | "read_only"

const LIMIT = "2 seconds"
/** How old the result of a write may be. */
const WRITE_AGE = "5 seconds"
/** Rows of 4,000 bytes: 128 KiB, as much as a few writes need. */
const ROWS = 32

/** The state of PostgreSQL on a full disk. */
const DISK_FULL = "53100"

const refusal = (failure: unknown): DatabaseState => {
  const cause = SqlError.isSqlError(failure)
    ? (failure.reason.cause as { readonly code?: string } | undefined)
    : undefined
  if (cause?.code === DISK_FULL) return "full"
  return cause?.code === readOnlyState ? "read_only" : "unreachable"
}

/**
 * Checks the database. A full disk still responds to reads, and small updates of pages that exist. So a table gets a new file (TRUNCATE) with
 * new pages, in a transaction that is rolled back.
 */
export const makeDatabaseState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const attempt = (work: Effect.Effect<unknown, unknown>) =>
    work.pipe(
      Effect.timeout(LIMIT),
      Effect.as<DatabaseState>("ok"),
      Effect.catch((failure) => Effect.succeed(refusal(failure))),
      Effect.catchCause(() => Effect.succeed<DatabaseState>("unreachable")),
      Effect.withTracerEnabled(false)
    )

  const rolledBack = Symbol()
  const write = Effect.gen(function* () {
    yield* sql`SET LOCAL lock_timeout = ${sql.literal("1000")}`
    yield* sql`TRUNCATE write_probe`
    yield* sql`INSERT INTO write_probe SELECT repeat('x', 4000) FROM generate_series(1, ${ROWS})`
    return yield* Effect.fail(rolledBack)
  }).pipe(
    sql.withTransaction,
    Effect.catchIf(
      (failure) => failure === rolledBack,
      () => Effect.void
    )
  )

  const writes = yield* Effect.cachedWithTTL(attempt(write), WRITE_AGE)
  return Effect.flatMap(attempt(sql`SELECT 1`), (reads) => (reads === "ok" ? writes : Effect.succeed(reads)))
})
