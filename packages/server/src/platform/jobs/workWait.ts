import { Clock, Duration, Effect, Latch, Random, type Scope, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { WorkSignals } from "./WorkSignals.ts"
import { queryRows } from "../sql/rows.ts"

/** The longest wait for an announcement, in milliseconds: work whose announcement was lost is found by then. */
export const LONGEST_WAIT = 30_000

/** The share by which this wait is shortened at random, so that instances do not look at the same time. */
const JITTER = 0.1

/** Work that the database announces. */
export interface AnnouncedWork<R = never> {
  /** The names under which triggers of the tables announce the work. */
  readonly topics: ReadonlyArray<string>
  /** The shortest pause between two runs. While announcements are not received, work is polled for with it. */
  readonly pause: Duration.Input
  /** Milliseconds until the next known work is due: 0 or less while there is some, Infinity where none is known. */
  readonly nextDue?: Effect.Effect<number, DatabaseUnavailable, R>
}

/**
 * Waits for work that is announced or known to be due, until the scope closes. The latch is opened by announcements; whoever polls for work
 * closes it before. The returned effect waits for it. A time that has passed since the look counts as waited.
 */
export const makeWorkWait = <R>(
  { nextDue, pause, topics }: AnnouncedWork<R>,
  arrived: Latch.Latch
): Effect.Effect<(waited?: number) => Effect.Effect<void, DatabaseUnavailable, R>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const signals = yield* WorkSignals
    const shortest = Duration.toMillis(Duration.fromInputUnsafe(pause))
    for (const topic of topics) {
      const unsubscribe = signals.subscribe(topic, () => arrived.openUnsafe())
      yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
    }

    const longest = Effect.gen(function* () {
      if (topics.length === 0 || !signals.isReceiving) return shortest
      const known = nextDue === undefined ? Infinity : yield* nextDue
      const most = LONGEST_WAIT * (1 - JITTER * (yield* Random.next))
      return Math.min(most, Math.max(shortest, known))
    })

    return (waited = 0) =>
      Effect.flatMap(longest, (milliseconds) =>
        milliseconds <= waited ? Effect.void : Effect.asVoid(Effect.timeoutOption(arrived.await, milliseconds - waited))
      )
  })

const IsAnyRow = Schema.Struct({ isAny: Schema.Boolean })

/**
 * A known time in milliseconds since 1970; no row where there is none. Times that are infinite are not for JavaScript. Without the offset,
 * the expression would be evaluated for each mention.
 */
const knownTime = (sql: SqlClient.SqlClient, at: Statement.Fragment) =>
  sql`SELECT (extract(epoch FROM greatest(least(at, now() + interval '1 day'), 'epoch')) * 1000)::float8 AS at,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
    FROM (SELECT ${at} AS at OFFSET 0) AS known WHERE at IS NOT NULL`

const KnownTime = Schema.Struct({ at: Schema.Finite, now: Schema.Finite })
type KnownTime = typeof KnownTime.Type

/** Milliseconds until a time in the database, by the clock of this process. The expression is null where nothing is due. */
export const untilTime = (
  sql: SqlClient.SqlClient,
  at: Statement.Fragment
): Effect.Effect<number, DatabaseUnavailable> =>
  Effect.gen(function* () {
    const [row] = yield* queryRows(KnownTime)(sql`${knownTime(sql, at)}`)
    return row === undefined ? Infinity : row.at - (yield* Clock.currentTimeMillis)
    // Polled all the time: not worth a trace.
  }).pipe(Effect.withTracerEnabled(false))

/** The same by the database's clock. */
export const untilDatabaseTime = (
  sql: SqlClient.SqlClient,
  at: Statement.Fragment
): Effect.Effect<number, DatabaseUnavailable> =>
  queryRows(KnownTime)(sql`${knownTime(sql, at)}`).pipe(
    Effect.map(([row]) => (row === undefined ? Infinity : row.at - row.now)),
    Effect.withTracerEnabled(false)
  )

/** 0 while there are such rows, else Infinity: for work without a due time, which is polled for while there is some. */
export const whileAny = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment
): Effect.Effect<number, DatabaseUnavailable> =>
  queryRows(IsAnyRow)(sql`SELECT EXISTS (${rows}) AS "isAny"`).pipe(
    Effect.map(([row]) => (row!.isAny ? 0 : Infinity)),
    Effect.withTracerEnabled(false)
  )
