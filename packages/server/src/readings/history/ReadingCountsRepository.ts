import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { HOUR, type MonthCounts, monthOf, type Parts, slotOf } from "./countedHours.ts"
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
  /** Of what was not counted, at most as many of each part as were asked for. */
  readonly others: number
}

/** On the embedded database a statement stops the whole process while it runs. */
const hoursAtOnce = (driver: string) => (driver === "pglite" ? 96 : 744)

export const firstOf = (at: number) => `${new Date(at).toISOString().slice(0, 7)}-01`

/** Parts of the statements about histories. */
export const historySql = (sql: SqlClient.SqlClient) => {
  const time = (name: string) => sql.literal(`round(extract(epoch FROM ${name}) * 1000)::float8`)
  /** The first day of the month of an instant. */
  const month = (at: number) => sql`${firstOf(at)}::date`

  // A month that is not kept has no readings: as many were before it as before the next one.
  const before = (
    deviceId: Statement.Fragment,
    slot: { readonly month: Statement.Fragment; readonly hours: Statement.Fragment }
  ) =>
    sql`coalesce((SELECT earlier + CASE WHEN month = ${slot.month} THEN coalesce(hours[${slot.hours}], 0) ELSE 0 END
      FROM reading_counts WHERE device_id = ${deviceId} AND month >= ${slot.month} ORDER BY month LIMIT 1), 0)`

  const beforeHour = (deviceId: string, hour: number) => {
    const slot = slotOf(hour)
    return before(sql`${deviceId}`, { month: month(slot.month), hours: sql`${slot.hours}::int` })
  }

  return {
    time,
    month,
    /** The kept number of readings before an hour, which is a place of a month; no month has none. */
    before,
    /** The kept number of readings in a span of whole hours, all of them counted. */
    storedIn: (deviceId: string, { from, to }: Span) =>
      from === to ? sql.literal("0") : sql`(${beforeHour(deviceId, to)} - ${beforeHour(deviceId, from)})::float8`
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { month, storedIn, time } = historySql(sql)
  const readingsIn = (deviceId: string, { from, to }: Span) =>
    sql`readings WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`

  return {
    hoursAtOnce: hoursAtOnce(sql.driver),
    /** The total in parts, and up to where hours were counted at that very moment. Planned for the very spans. */
    total: (deviceId: string, { counted, rest: [before, after] }: Parts, limit: number) =>
      query(
        sql<Total>`SELECT ${time("counted_until")} AS "countedUntil", ${storedIn(deviceId, counted)} AS stored,
          (SELECT count(*)::int FROM (SELECT FROM ${readingsIn(deviceId, before)} LIMIT ${limit}) AS before)
          + (SELECT count(*)::int FROM (SELECT FROM ${readingsIn(deviceId, after)} LIMIT ${limit}) AS after) AS others
        FROM device_states WHERE device_id = ${deviceId}`.unprepared
      ).pipe(Effect.map(([row]) => row)),
    counted: (deviceId: string) =>
      query(sql<Counted>`SELECT ${time("counted_until")} AS "countedUntil", ${time("first_at")} AS "firstAt",
        xmin::text AS version FROM device_states WHERE device_id = ${deviceId}`).pipe(Effect.map(([row]) => row)),
    /** How many readings there are in each hour of the span, which lies in one month. */
    count: (deviceId: string, span: Span) =>
      query(
        sql<{ readonly n: number }>`SELECT (
          SELECT count(*)::int FROM ${readingsIn(deviceId, span)}
          AND at >= to_timestamp(hour / 1000.0) AND at < to_timestamp((hour + ${HOUR}::bigint) / 1000.0)
        ) AS n FROM generate_series(${span.from}::bigint, ${span.to - HOUR}::bigint, ${HOUR}::bigint) AS hour
        ORDER BY hour`.unprepared
      ).pipe(Effect.map((rows) => rows.map(({ n }) => n))),
    /** Holds the device's state, and tells its version now. */
    hold: (deviceId: string) =>
      query(sql<{ readonly version: string }>`SELECT xmin::text AS version FROM device_states
        WHERE device_id = ${deviceId} FOR NO KEY UPDATE`).pipe(Effect.map(([row]) => row?.version)),
    /** The month of an hour as it is kept; at its beginning, as it follows from the one before it. */
    month: (deviceId: string, hour: number) => {
      const { month: kept } = slotOf(hour)
      return query(sql<MonthCounts & { readonly isSame: boolean }>`SELECT month = ${month(hour)} AS "isSame",
          earlier::float8 AS earlier, hours FROM reading_counts
        WHERE device_id = ${deviceId} AND month <= ${month(kept)} ORDER BY month DESC LIMIT 1`).pipe(
        Effect.map(([row]): MonthCounts => {
          if (row === undefined) return { earlier: 0, hours: [] }
          return row.isSame ? row : { earlier: row.earlier + (row.hours.at(-1) ?? 0), hours: [] }
        })
      )
    },
    /** Keeps the numbers of a month, which reach until then. */
    store: (deviceId: string, until: number, { earlier, hours }: MonthCounts) =>
      query(sql`WITH counted AS (
          INSERT INTO reading_counts (device_id, month, earlier, hours)
          VALUES (${deviceId}, ${month(monthOf(until - 1))}, ${earlier}, ${hours}::int[])
          ON CONFLICT (device_id, month) DO UPDATE SET earlier = excluded.earlier, hours = excluded.hours
        )
        UPDATE device_states SET counted_until = ${new Date(until)} WHERE device_id = ${deviceId}`)
  }
})

export class ReadingCountsRepository extends Context.Service<ReadingCountsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ReadingCountsRepository"
) {
  static readonly layer = Layer.effect(ReadingCountsRepository, make)
}
