import { Clock, Context, Effect, Layer, Schedule, Semaphore, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { ensurePartition } from "../platform/sql/ensurePartition.ts"
import { InTransaction, query } from "../platform/sql/transaction.ts"
import { decodeRows } from "../platform/sql/rows.ts"

/** A month in UTC, as "2026-03". */
export type Month = string

/** Partitions are created this many months ahead. */
const monthsAhead = 2

/** The age of a month that may be in the archive already, in milliseconds: it began at least a week before the shortest time that readings stay here. */
const MAY_BE_ARCHIVED = 7 * 86_400_000

/** The monthly partitions of the readings. */
export class Partitions extends Context.Service<
  Partitions,
  {
    /**
     * Creates the missing partitions. Must run before the transaction that writes the readings, so that a partition is
     * visible to all at once and a batch that is rolled back does not undo it.
     */
    readonly ensure: (months: Iterable<Month>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Partitions") {
  /** Creates those of the current and the next months now, and again every day. */
  static readonly layer = Layer.effect(
    Partitions,
    Effect.gen(function* () {
      const partitions = yield* make
      const ahead = Effect.flatMap(Clock.currentTimeMillis, (now) => partitions.ensure(monthsFrom(now)))
      yield* ahead
      yield* Effect.forkScoped(
        ahead.pipe(
          Effect.catchCause((cause) =>
            logFailure("partitions of readings", "The next partitions of the readings could not be created", cause)
          ),
          Effect.schedule(Schedule.spaced("1 day"))
        )
      )
      return partitions
    })
  )
}

const NameRow = Schema.Struct({ name: Schema.String })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  const known = new Set(yield* query(existingMonths(sql)))
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** An archived month's partition may be dropped by another instance, and needed again for late readings. */
  const reload = Effect.map(query(existingMonths(sql)), (found) => {
    for (const month of known) if (!found.includes(month)) known.delete(month)
  })
  const create = (month: Month) =>
    Effect.suspend(() =>
      known.has(month)
        ? Effect.void
        : Effect.map(query(ensurePartition(sql, "readings", `${month}-01`)), () => void known.add(month))
    )
  const createAll = (months: ReadonlyArray<Month>) =>
    InTransaction.pipe(
      Effect.filterOrElse(
        (inside) => !inside,
        () => Effect.die(new Error("Partitions must be created before a transaction, not inside one"))
      ),
      Effect.andThen(oneAtATime.withPermit(Effect.forEach(months, create, { discard: true }))),
      Effect.withSpan("Partitions.create", { attributes: { months: months.join(" ") } })
    )
  return {
    ensure: (months: Iterable<Month>) => {
      const wanted = Array.from(new Set(months))
      const create = Effect.suspend(() => {
        const missing = wanted.filter((month) => !known.has(month))
        return missing.length === 0 ? Effect.void : createAll(missing)
      })
      const begin = formatMonth(clock.currentTimeMillisUnsafe() - MAY_BE_ARCHIVED)
      if (wanted.every((month) => month >= begin)) return create
      return Effect.flatMap(InTransaction, (inside) => (inside ? create : Effect.andThen(reload, create)))
    }
  }
})

const existingMonths = (sql: SqlClient.SqlClient) =>
  Effect.map(
    decodeRows(NameRow)(sql`SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'readings'::regclass`),
    (rows) => rows.map(({ name }) => name.replace(/^readings_(\d{4})(\d{2})$/, "$1-$2"))
  )

const monthsFrom = (milliseconds: number) => {
  const now = new Date(milliseconds)
  return Array.from({ length: monthsAhead + 1 }, (_, ahead) =>
    formatMonth(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  )
}

export const formatMonth = (milliseconds: number): Month => new Date(milliseconds).toISOString().slice(0, 7)
