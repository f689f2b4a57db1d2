import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"
import { DAY, type Parts } from "./countedDays.ts"
import type { Span } from "./historySpan.ts"

interface Counted {
  /** Milliseconds since 1970; null when nothing is counted. */
  readonly countedUntil: number | null
  readonly firstAt: number
  /** Another one after any change of the device's state. */
  readonly version: string
}

interface Total {
  readonly countedUntil: number | null
  readonly stored: number
  /** Of what was not counted, at most as many as were asked for. */
  readonly others: number
}

/** On the embedded database a statement stops the whole process while it runs. */
const daysAtOnce = (driver: string) => (driver === "pglite" ? 4 : 31)

const date = (at: number) => new Date(at).toISOString().slice(0, 10)
const monthOf = (at: number) => `${date(at).slice(0, 7)}-01`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const time = (name: string) => sql.literal(`round(extract(epoch FROM ${name}) * 1000)::float8`)
  const readingsIn = (deviceId: string, { from, to }: Span) =>
    sql`readings WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`

  return {
    daysAtOnce: daysAtOnce(sql.driver),
    /** The total in parts, and up to where days were counted at that very moment. Planned for the very spans. */
    total: (deviceId: string, { counted, rest: [before, after] }: Parts, limit: number) =>
      query(
        sql<Total>`SELECT ${time("counted_until")} AS "countedUntil",
          (SELECT coalesce(sum(n), 0)::int FROM reading_counts, unnest(days) WITH ORDINALITY AS days (n, day)
            WHERE device_id = ${deviceId} AND month >= ${monthOf(counted.from)}::date AND month < ${date(counted.to)}::date
              AND month + day::int - 1 >= ${date(counted.from)}::date AND month + day::int - 1 < ${date(counted.to)}::date
          ) AS stored,
          (SELECT count(*)::int FROM (SELECT FROM ${readingsIn(deviceId, before)} LIMIT ${limit}) AS before)
          + (SELECT count(*)::int FROM (SELECT FROM ${readingsIn(deviceId, after)} LIMIT ${limit}) AS after) AS others
        FROM device_states WHERE device_id = ${deviceId}`.unprepared
      ).pipe(Effect.map(([row]) => row)),
    counted: (deviceId: string) =>
      query(sql<Counted>`SELECT ${time("counted_until")} AS "countedUntil", ${time("first_at")} AS "firstAt",
        xmin::text AS version FROM device_states WHERE device_id = ${deviceId}`).pipe(Effect.map(([row]) => row)),
    /** How many readings there are on each day of the span, which lies in one month. */
    count: (deviceId: string, span: Span) =>
      query(
        sql<{ readonly n: number }>`SELECT (
          SELECT count(*)::int FROM ${readingsIn(deviceId, span)}
          AND at >= to_timestamp(day / 1000.0) AND at < to_timestamp((day + ${DAY}::bigint) / 1000.0)
        ) AS n FROM generate_series(${span.from}::bigint, ${span.to - DAY}::bigint, ${DAY}::bigint) AS day
        ORDER BY day`.unprepared
      ).pipe(Effect.map((rows) => rows.map(({ n }) => n))),
    /** Holds the device's state, and tells its version now. */
    hold: (deviceId: string) =>
      query(sql<{ readonly version: string }>`SELECT xmin::text AS version FROM device_states
        WHERE device_id = ${deviceId} FOR NO KEY UPDATE`).pipe(Effect.map(([row]) => row?.version)),
    /** Stores the numbers of the days from the span's first on; those before it in the month stay. */
    store: (deviceId: string, { from, to }: Span, numbers: ReadonlyArray<number>) => {
      const before = new Date(from).getUTCDate() - 1
      const days = [...Array.from({ length: before }, () => 0), ...numbers]
      return query(sql`WITH counted AS (
          INSERT INTO reading_counts AS known (device_id, month, days)
          VALUES (${deviceId}, ${monthOf(from)}::date, ${days}::int[])
          ON CONFLICT (device_id, month) DO UPDATE
            SET days = known.days[1:${before}::int]
              || array_fill(0, ARRAY[greatest(0, ${before}::int - cardinality(known.days))])
              || excluded.days[${before}::int + 1:]
        )
        UPDATE device_states SET counted_until = ${new Date(to)} WHERE device_id = ${deviceId}`)
    }
  }
})

export class ReadingCountsRepository extends Context.Service<ReadingCountsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ReadingCountsRepository"
) {
  static readonly layer = Layer.effect(ReadingCountsRepository, make)
}
