import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { deviceStateTable } from "../../devices/deviceStateTable.ts"
import type { Span } from "../../energy/intervals.ts"
import { anyOf } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"
import { MonthCounts, startOfMonth, type Parts, findSlot } from "./countedHours.ts"
import { HOUR } from "../hours.ts"
import { type Order, ReadingText } from "../readingText.ts"
import { decodeRows, CountRow } from "../../platform/sql/rows.ts"

/** The device state that its history depends on; times in milliseconds since 1970. */
export const HistoryState = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.NullOr(Schema.String),
  referenceId: Schema.String,
  firstAt: Schema.NullOr(Schema.Finite),
  lastAt: Schema.NullOr(Schema.Finite),
  countedUntil: Schema.NullOr(Schema.Finite)
})
export type HistoryState = typeof HistoryState.Type

const Counted = Schema.Struct({
  /** Milliseconds since 1970; null when nothing is counted. */
  countedUntil: Schema.NullOr(Schema.Finite),
  firstAt: Schema.Finite,
  /** A different one after any change of the device's state. */
  version: Schema.String
})
type Counted = typeof Counted.Type

export const Total = Schema.Struct({
  countedUntil: Schema.NullOr(Schema.Finite),
  stored: Schema.Finite,
  /** The readings outside the counted hours, at most the requested number at each end. */
  others: Schema.Finite
})
export type Total = typeof Total.Type

/** A reading of a page, or null without one, and the total of its span. */
const CountedReading = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  at: Schema.NullOr(Schema.Finite),
  state: Schema.NullOr(Schema.String),
  ...Total.fields
})

const isReading = (row: typeof CountedReading.Type): row is typeof CountedReading.Type & ReadingText => row.id !== null

/** On the embedded database a statement stops the whole process while it runs. */
const hoursAtOnce = (driver: string) => (driver === "pglite" ? 96 : 744)

/** The first day of the month of an instant. */
const firstDay = (at: number) => `${new Date(at).toISOString().slice(0, 7)}-01`

const StoredRow = Schema.Struct({ id: Schema.String, at: Schema.Date, state: Schema.Unknown })
const KeptDeviceRow = Schema.Struct({ id: Schema.String, keptFrom: Schema.Finite })
const VersionRow = Schema.Struct({ version: Schema.String })
const MonthCountsRow = Schema.Struct({ ...MonthCounts.fields, isSame: Schema.Boolean })

/** The time before which the workspace of a device `d` keeps none of its readings. */
const keptFrom = `(SELECT kept_from FROM workspace_floors f WHERE f.workspace_id = d.workspace_id AND f.device_type = d.type)`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const states = deviceStateTable(sql)
  const time = (name: string) => sql.literal(`round(extract(epoch FROM ${name}) * 1000)::float8`)
  const month = (at: number) => sql`${firstDay(at)}::date`
  const readingsIn = (deviceId: string, { from, to }: Span) =>
    sql`readings WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`

  // A month that is not kept has no readings: as many were before it as before the next one.
  const beforeHour = (deviceId: string, hour: number) => {
    const slot = findSlot(hour)
    return sql`coalesce((SELECT earlier + CASE WHEN month = ${month(slot.month)} THEN coalesce(hours[${slot.hours}::int], 0) ELSE 0 END
      FROM reading_counts WHERE device_id = ${deviceId} AND month >= ${month(slot.month)} ORDER BY month LIMIT 1), 0)`
  }
  const storedIn = (deviceId: string, { from, to }: Span) =>
    from === to ? sql.literal("0") : sql`(${beforeHour(deviceId, to)} - ${beforeHour(deviceId, from)})::float8`

  const selectPage = (deviceId: string, span: Span, order: Order, limit: number, offset: number) =>
    sql`SELECT id, at, state FROM ${readingsIn(deviceId, span)}
      ORDER BY readings.at ${sql.literal(order)} LIMIT ${limit} OFFSET ${offset}`

  const selectTotal = (deviceId: string, { counted, rest: [before, after] }: Parts, limit: number) => {
    const countIn = (span: Span) =>
      span.from < span.to
        ? sql`(SELECT count(*)::int FROM (SELECT FROM ${readingsIn(deviceId, span)} LIMIT ${limit}) AS part)`
        : sql.literal("0")
    return sql`SELECT ${time("counted_until")} AS "countedUntil", ${storedIn(deviceId, counted)} AS stored,
          ${countIn(before)} + ${countIn(after)} AS others
        FROM device_states WHERE device_id = ${deviceId}`
  }

  const asText = sql.literal("(date_part('epoch', page.at) * 1000)::float8 AS at, page.state::text AS state")

  return {
    /** Those of the devices that belong to a workspace, in the order of their ids, with the times before which no readings are kept. */
    devicesIn: (workspaceId: string, deviceIds: ReadonlyArray<string>) =>
      query(
        decodeRows(
          KeptDeviceRow
        )(sql`SELECT d.id, coalesce(date_part('epoch', ${sql.literal(keptFrom)}) * 1000, 0) AS "keptFrom"
          FROM devices d WHERE d.workspace_id = ${workspaceId} AND d.id = ANY(${deviceIds}::text[]) ORDER BY d.id`)
      ),
    /** The first readings of a device in a span, or those after a time in it. */
    readingsAfter: (
      deviceId: string,
      { from, to }: { readonly from: Date; readonly to: Date },
      after: Date | undefined,
      limit: number
    ) =>
      query(
        decodeRows(StoredRow)(sql`SELECT id, at, state FROM readings
          WHERE device_id = ${deviceId} AND at >= ${from} AND at < ${to} ${after === undefined ? sql`` : sql`AND at > ${after}`}
          ORDER BY readings.at LIMIT ${limit}`)
      ),
    hoursAtOnce: hoursAtOnce(sql.driver),
    states: (deviceIds: ReadonlyArray<string>) =>
      query(
        decodeRows(HistoryState)(sql`SELECT d.id, d.workspace_id AS "workspaceId", d.reference_id AS "referenceId",
          ${time(`greatest(s.first_at, (SELECT kept_from FROM readings_floor), ${keptFrom})`)} AS "firstAt", ${time("s.at")} AS "lastAt",
          ${time("s.counted_until")} AS "countedUntil"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id WHERE d.id = ${anyOf(sql, deviceIds)}`)
      ),
    // A device has one reading a millisecond, so their time alone orders them. Planned for the very span, so that the
    // months outside of it are not even opened.
    page: (deviceId: string, span: Span, order: Order, limit: number, offset: number) =>
      query(
        decodeRows(ReadingText)(
          sql`SELECT page.id, ${asText} FROM (${selectPage(deviceId, span, order, limit, offset)}) AS page`.unprepared
        )
      ),
    /** A page with the parts of the total of a span, as `total` returns them: planning two statements costs more than running them. */
    countedPage: (
      deviceId: string,
      page: Span,
      order: Order,
      limit: number,
      offset: number,
      parts: Parts,
      limitOfParts: number
    ) =>
      query(
        // OFFSET 0 keeps the planner from computing the total for each row.
        decodeRows(CountedReading)(
          sql`SELECT page.id, ${asText}, total.* FROM (${selectTotal(deviceId, parts, limitOfParts)} OFFSET 0) AS total
          LEFT JOIN LATERAL (${selectPage(deviceId, page, order, limit, offset)}) AS page ON true
          ORDER BY page.at ${sql.literal(order)}`.unprepared
        )
      ).pipe(
        Effect.map((rows): { readonly readings: ReadonlyArray<ReadingText>; readonly total: Total | undefined } => ({
          readings: rows.filter(isReading),
          total: rows[0]
        }))
      ),
    /** The total in parts, and up to where hours were counted at that very moment. */
    total: (deviceId: string, parts: Parts, limit: number) =>
      query(decodeRows(Total)(sql`${selectTotal(deviceId, parts, limit)}`.unprepared)).pipe(Effect.map(([row]) => row)),
    counted: (deviceId: string) =>
      query(
        decodeRows(Counted)(sql`SELECT ${time("counted_until")} AS "countedUntil", ${time("first_at")} AS "firstAt",
        xmin::text AS version FROM device_states WHERE device_id = ${deviceId}`)
      ).pipe(Effect.map(([row]) => row)),
    /** How many readings there are in each hour of the span, which lies in one month. */
    countHours: (deviceId: string, span: Span) =>
      query(
        decodeRows(CountRow)(
          sql`SELECT (
          SELECT count(*)::int FROM ${readingsIn(deviceId, span)}
          AND at >= to_timestamp(hour / 1000.0) AND at < to_timestamp((hour + ${HOUR}::bigint) / 1000.0)
        ) AS n FROM generate_series(${span.from}::bigint, ${span.to - HOUR}::bigint, ${HOUR}::bigint) AS hour
        ORDER BY hour`.unprepared
        )
      ).pipe(Effect.map((rows) => rows.map(({ n }) => n))),
    /** Locks the device's state and returns its version now. */
    lockState: (deviceId: string) =>
      query(
        decodeRows(VersionRow)(sql`SELECT xmin::text AS version FROM device_states
        WHERE device_id = ${deviceId} FOR NO KEY UPDATE`)
      ).pipe(Effect.map(([row]) => row?.version)),
    /** The stored counts of an hour's month; at its beginning, as they follow from the month before. */
    monthCounts: (deviceId: string, hour: number) => {
      const { month: kept } = findSlot(hour)
      return query(
        decodeRows(MonthCountsRow)(sql`SELECT month = ${month(hour)} AS "isSame",
          earlier::float8 AS earlier, hours FROM reading_counts
        WHERE device_id = ${deviceId} AND month <= ${month(kept)} ORDER BY month DESC LIMIT 1`)
      ).pipe(
        Effect.map(([row]): MonthCounts => {
          if (row === undefined) return { earlier: 0, hours: [] }
          return row.isSame ? row : { earlier: row.earlier + (row.hours.at(-1) ?? 0), hours: [] }
        })
      )
    },
    /** Stores the counts of a month, which reach until then. */
    storeCounts: (deviceId: string, until: number, { earlier, hours }: MonthCounts) =>
      query(sql`WITH counted AS (
          INSERT INTO reading_counts (device_id, month, earlier, hours)
          VALUES (${deviceId}, ${month(startOfMonth(until - 1))}, ${earlier}, ${hours}::int[])
          ON CONFLICT (device_id, month) DO UPDATE SET earlier = excluded.earlier, hours = excluded.hours
        )
        ${states.setCountedUntil(deviceId, new Date(until))}`)
  }
})

/** Pages of readings, and the counts from which their totals are made. */
export class HistoryRepository extends Context.Service<HistoryRepository, Effect.Success<typeof make>>()(
  "@edp/server/HistoryRepository"
) {
  static readonly layer = Layer.effect(HistoryRepository, make)
}
