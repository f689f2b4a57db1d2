import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Span } from "../energy/intervals.ts"
import type { EnergyReading } from "../energy/quantities.ts"
import { JsonColumn, queryRows } from "../platform/sql/rows.ts"

/** A request for the readings of a device in a span. */
export interface Wanted extends Span {
  readonly deviceId: string
}

/** A request for a device's nearest reading before, or from, an instant on that has a number in a field. */
export interface WantedField {
  /** The index of what it is wanted for. */
  readonly n: number
  readonly deviceId: string
  readonly field: string
  /** The instant, and the end of the search. */
  readonly edge: number
  readonly bound: number
}

export const FoundReading = Schema.Struct({
  n: Schema.Finite,
  at: Schema.Finite,
  state: JsonColumn<EnergyReading["state"]>()
})
export type FoundReading = typeof FoundReading.Type

/** The readings next to a span. */
export const Neighbours = Schema.Struct({
  before: Schema.NullOr(JsonColumn<EnergyReading>()),
  after: Schema.NullOr(JsonColumn<EnergyReading>())
})
export type Neighbours = typeof Neighbours.Type

/** Readings as JSON, `[milliseconds, state]` each. Decoding a row per reading would take longer than the rest of the computation. */
const Packed = Schema.Struct({ n: Schema.Finite, readings: Schema.String })
type Packed = typeof Packed.Type

type Pair = readonly [at: number, state: EnergyReading["state"]]

/** Timestamps of readings lie between the years 2000 and 9999. */
const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(9999, 0)

const instant = (milliseconds: number) => new Date(Math.max(EARLIEST, Math.min(milliseconds, LATEST))).toISOString()

const unpack = (text: string): ReadonlyArray<EnergyReading> => {
  const pairs: ReadonlyArray<Pair> = JSON.parse(text)
  return pairs.map(([at, state]) => ({ at, state }))
}

/** Reads the readings that energies are computed from. */
export const EnergyReadingsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unnestSpans = (wanted: ReadonlyArray<Wanted>) => sql`unnest(
    ${wanted.map(({ deviceId }) => deviceId)}::text[],
    ${wanted.map(({ from }) => instant(from))}::timestamptz[],
    ${wanted.map(({ to }) => instant(to))}::timestamptz[]
  ) WITH ORDINALITY AS w (device_id, lower, upper, n)`

  const unnestFields = (wanted: ReadonlyArray<WantedField>) => sql`unnest(
    ${wanted.map(({ n }) => n)}::int[],
    ${wanted.map(({ deviceId }) => deviceId)}::text[],
    ${wanted.map(({ field }) => field)}::text[],
    ${wanted.map(({ edge }) => instant(edge))}::timestamptz[],
    ${wanted.map(({ bound }) => instant(bound))}::timestamptz[]
  ) AS w (n, device_id, field, edge, bound)`

  /**
   * The first or last readings that meet a condition on `device_id`, `at` and `state`; while a month is being moved or dropped, some are in two tables. The planner assumes that an unknown limit
   * is small and reads in index order; with a known limit it may sort all readings.
   */
  const some = (condition: Statement.Fragment, order: "ASC" | "DESC", limit: number) => {
    const first = sql`ORDER BY at ${sql.literal(order)} LIMIT (SELECT ${limit}::bigint)`
    const part = (table: string) => sql`(SELECT at, state FROM ${sql(table)} WHERE ${condition} ${first})`
    return sql`(SELECT DISTINCT ON (at) at, state FROM (${part("readings")} UNION ALL ${part("kept_readings")}) AS either ${first})`
  }

  const milliseconds = (at: Statement.Fragment) => sql`(date_part('epoch', ${at}) * 1000)::bigint`
  const packed = sql`'[' || ${milliseconds(sql`r.at`)} || ',' || r.state::text || ']'`
  const reading = (name: string) => sql`CASE WHEN ${sql(name)}.at IS NOT NULL THEN
    jsonb_build_object('at', ${milliseconds(sql`${sql(name)}.at`)}, 'state', ${sql(name)}.state) END`

  const nearest = (wanted: ReadonlyArray<WantedField>, condition: Statement.Fragment, order: "ASC" | "DESC") =>
    queryRows(FoundReading)(sql`
      SELECT w.n, ${milliseconds(sql`r.at`)}::float8 AS at, r.state FROM ${unnestFields(wanted)} CROSS JOIN LATERAL
        ${some(sql`device_id = w.device_id AND ${condition} AND jsonb_typeof(state -> w.field) = 'number'`, order, 1)} AS r`)

  const spans = (wanted: ReadonlyArray<Wanted>, limit: number) =>
    queryRows(Packed)(sql`
        SELECT w.n::int AS n, '[' || string_agg(${packed}, ',' ORDER BY r.at) || ']' AS readings
        FROM ${unnestSpans(wanted)} CROSS JOIN LATERAL (
          ${some(sql`device_id = w.device_id AND at < w.lower`, "DESC", 1)}
          UNION ALL
          ${some(sql`device_id = w.device_id AND at >= w.lower AND at < w.upper`, "ASC", limit)}
          UNION ALL
          ${some(sql`device_id = w.device_id AND at >= w.upper`, "ASC", 1)}
        ) AS r GROUP BY w.n`).pipe(
      Effect.map((rows) => {
        const texts = new Map(rows.map(({ n, readings }) => [n, readings]))
        return wanted.map((_, index) => unpack(texts.get(index + 1) ?? "[]"))
      })
    )

  const neighbours = (wanted: ReadonlyArray<Wanted>) =>
    queryRows(Neighbours)(sql`
        SELECT ${reading("previous")} AS before, ${reading("next")} AS after
        FROM ${unnestSpans(wanted)}
        LEFT JOIN LATERAL ${some(sql`device_id = w.device_id AND at < w.lower`, "DESC", 1)} AS previous ON true
        LEFT JOIN LATERAL ${some(sql`device_id = w.device_id AND at >= w.upper`, "ASC", 1)} AS next ON true
        ORDER BY w.n`)

  return {
    /** The first readings of each span, and its two neighbours. */
    spans,
    neighbours,
    /** The last matching reading before each instant. */
    before: (wanted: ReadonlyArray<WantedField>) =>
      wanted.length === 0 ? Effect.succeed([]) : nearest(wanted, sql`at < w.edge AND at >= w.bound`, "DESC"),
    /** The first matching reading from each instant on. */
    after: (wanted: ReadonlyArray<WantedField>) =>
      wanted.length === 0 ? Effect.succeed([]) : nearest(wanted, sql`at >= w.edge AND at < w.bound`, "ASC")
  }
})
