import { Cause, Context, Effect, Metric, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import { catchAllButUnavailable, DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { query } from "../sql/transaction.ts"
import { queryRows } from "../sql/rows.ts"

/** The pause after the first failure of an item, which doubles with each, and the longest one, in seconds. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 900

/** Characters of an error that are stored. */
const ERROR_LENGTH = 500

/** How long the row of an item stays that has not failed again. */
const KEPT = "1 day"

const failures = Metric.counter("edp_failing_items_total", {
  description:
    "Items of background work that failed for themselves and were put off, such as a workspace of the fan-out of events",
  incremental: true
})

const PauseMsRow = Schema.Struct({ pauseMs: Schema.Finite })

/** For a WHERE: the item of this work does not wait after a failure. */
export const isReady = (
  sql: SqlClient.SqlClient,
  work: string,
  item: string
): Statement.Fragment => sql`NOT EXISTS (SELECT FROM failing_work WHERE failing_work.work = ${sql.literal(`'${work}'`)}
  AND failing_work.item = ${sql.literal(item)} COLLATE "C" AND failing_work.retry_at > now())`

/** Keeps the failing items of one kind of background work from stopping the others. */
export interface Isolation {
  /**
   * Runs work on a set of items, and returns the sum of the numbers that it returns. Where it fails, each half is tried, down to the
   * item that fails for itself: that one is put off, and the others go on. Fails only while the database does not respond.
   */
  readonly run: <Item, E, R>(
    items: ReadonlyArray<Item>,
    name: (item: Item) => string,
    work: (items: ReadonlyArray<Item>) => Effect.Effect<number, E, R>
  ) => Effect.Effect<number, DatabaseUnavailable, R>
  /** The same for items that are ids. */
  readonly runIds: <E, R>(
    ids: ReadonlyArray<string>,
    work: (ids: ReadonlyArray<string>) => Effect.Effect<number, E, R>
  ) => Effect.Effect<number, DatabaseUnavailable, R>
  /** Puts an item off. Returns its pause in milliseconds. */
  readonly putOff: (item: string, cause: Cause.Cause<unknown>) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * Whether the database responds. Then its failure concerns what was worked on: a statement that takes too long, or waits for a lock, fails
   * like an unavailable database.
   */
  readonly responds: Effect.Effect<boolean>
}

/**
 * Isolates the failing items of a kind of background work, which is named in its log lines, in the metrics and in the table of what waits.
 * The statement that finds the items leaves out those that wait: `isReady`.
 */
export const makeIsolation = (work: string): Effect.Effect<Isolation, DatabaseUnavailable, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const counter = Metric.withAttributes(failures, { work })
    // An item that has not failed for a while has worked again: its next failure is a first one.
    const count = sql.literal(`CASE WHEN failing_work.retry_at > now() - interval '${LONGEST_PAUSE} seconds'
      THEN least(failing_work.failures + 1, 30) ELSE 1 END`)
    const pause = (count: Statement.Fragment) =>
      sql`least(${sql.literal(`${LONGEST_PAUSE}`)}, ${sql.literal(`${FIRST_PAUSE}`)} * 2 ^ (${count} - 1)) * interval '1 second'`

    const store = (item: string, error: string) =>
      queryRows(PauseMsRow)(sql`INSERT INTO failing_work (work, item, failures, error, failed_at, retry_at)
        VALUES (${work}, ${item}, 1, ${error}, now(), now() + ${pause(sql.literal("1"))})
        ON CONFLICT (work, item) DO UPDATE SET failures = ${count}, error = excluded.error, failed_at = now(),
          retry_at = now() + ${pause(count)}
        RETURNING (extract(epoch FROM retry_at - now()) * 1000)::float8 AS "pauseMs"`).pipe(
        Effect.map(([row]) => row!.pauseMs)
      )

    const putOff = Effect.fnUntraced(function* (item: string, cause: Cause.Cause<unknown>) {
      counter.updateUnsafe(1, Context.empty())
      const pauseMs = yield* store(item, describe(cause).slice(0, ERROR_LENGTH))
      yield* logFailure(
        `item of ${work}`,
        `${work}: ${item} failed and is tried again in ${Math.round(pauseMs / 1000)} seconds; the others go on`,
        cause
      )
      return pauseMs
    })

    const responds = Effect.match(Effect.timeout(sql`SELECT 1`, "2 seconds"), {
      onFailure: () => false,
      onSuccess: () => true
    })

    const run: Isolation["run"] = (items, name, each) =>
      items.length === 0
        ? Effect.succeed(0)
        : each(items).pipe(
            Effect.catchIf(DatabaseUnavailable.is, (error) =>
              Effect.flatMap(responds, (isTheirs) => (isTheirs ? Effect.die(error) : Effect.fail(error)))
            ),
            catchAllButUnavailable((cause) => {
              if (Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<never>)
              if (items.length === 1) return Effect.as(putOff(name(items[0]!), cause), 0)
              const half = Math.ceil(items.length / 2)
              return Effect.zipWith(
                run(items.slice(0, half), name, each),
                run(items.slice(half), name, each),
                (one, other) => one + other
              )
            })
          )

    return { run, runIds: (ids, work) => run(ids, (id) => id, work), putOff, responds }
  })

/** Lets items wait no longer than the longest pause, counted from now. */
export const limitPauses = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  query(sql`UPDATE failing_work SET retry_at = now()
    WHERE retry_at > now() + interval '${sql.literal(String(LONGEST_PAUSE))} seconds'`)
)

/** Deletes the rows of items that have not failed for long. */
export const forgetPastFailures = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  query(sql`DELETE FROM failing_work WHERE retry_at < now() - interval '${sql.literal(KEPT)}'`)
)

const describe = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (!(error instanceof Error)) return String(error)
  const { cause: inner } = (error as { readonly reason?: { readonly cause?: unknown } }).reason ?? {}
  return inner instanceof Error ? inner.message : error.message
}
