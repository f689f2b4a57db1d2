import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { Span } from "../energy/quarterCells.ts"
import type { EnergyReading } from "../energy/timeline.ts"

/** The readings of a device in a span. */
export interface Wanted extends Span {
  readonly deviceId: string
}

/** The nearest reading of a device beyond an instant, before it or from it on, that has a number in a field. */
export interface WantedField {
  /** The place of what it is wanted for. */
  readonly n: number
  readonly deviceId: string
  readonly field: string
  /** The instant, and how far to look. */
  readonly edge: number
  readonly bound: number
}

export interface FoundReading {
  readonly n: number
  readonly at: number
  readonly state: EnergyReading["state"]
}

/** What a span of readings has for neighbours. */
export interface Neighbours {
  readonly before: EnergyReading | null
  readonly after: EnergyReading | null
}

/** Readings as JSON: `[milliseconds, state]` each. A row for each reading would cost more than all the rest. */
interface Packed {
  readonly n: number
  readonly readings: string
}

type Pair = readonly [at: number, state: EnergyReading["state"]]

/** Timestamps of readings lie between the years 2000 and 9999. */
const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(9999, 0)

const instant = (milliseconds: number) => new Date(Math.max(EARLIEST, Math.min(milliseconds, LATEST))).toISOString()

/** While a month is dropped, a reading of it may be in two tables. */
const unpack = (text: string): ReadonlyArray<EnergyReading> => {
  const pairs: ReadonlyArray<Pair> = JSON.parse(text)
  return pairs
    .map(([at, state]) => ({ at, state }))
    .filter(({ at }, place) => place === 0 || pairs[place - 1]![0] !== at)
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const spansOf = (wanted: ReadonlyArray<Wanted>) => sql`unnest(
    ${wanted.map(({ deviceId }) => deviceId)}::text[],
    ${wanted.map(({ from }) => instant(from))}::timestamptz[],
    ${wanted.map(({ to }) => instant(to))}::timestamptz[]
  ) WITH ORDINALITY AS w (device_id, lower, upper, n)`

  const fieldsOf = (wanted: ReadonlyArray<WantedField>) => sql`unnest(
    ${wanted.map(({ n }) => n)}::int[],
    ${wanted.map(({ deviceId }) => deviceId)}::text[],
    ${wanted.map(({ field }) => field)}::text[],
    ${wanted.map(({ edge }) => instant(edge))}::timestamptz[],
    ${wanted.map(({ bound }) => instant(bound))}::timestamptz[]
  ) AS w (n, device_id, field, edge, bound)`

  /**
   * The first readings, or last ones, that meet a condition on `device_id`, `at` and `state`. The database takes a limit
   * that it does not know for a small one, and reads so many in their order; else it would sort all that there are.
   */
  const some = (condition: Statement.Fragment, order: "ASC" | "DESC", limit: number) => {
    const first = sql`ORDER BY at ${sql.literal(order)} LIMIT (SELECT ${limit}::bigint)`
    const part = (table: string) => sql`(SELECT at, state FROM ${sql(table)} WHERE ${condition} ${first})`
    return sql`(SELECT at, state FROM (${part("readings")} UNION ALL ${part("kept_readings")}) AS either ${first})`
  }

  const milliseconds = (at: Statement.Fragment) => sql`(date_part('epoch', ${at}) * 1000)::bigint`
  const packed = sql`'[' || ${milliseconds(sql`r.at`)} || ',' || r.state::text || ']'`
  const reading = (name: string) => sql`CASE WHEN ${sql(name)}.at IS NOT NULL THEN
    jsonb_build_object('at', ${milliseconds(sql`${sql(name)}.at`)}, 'state', ${sql(name)}.state) END`

  const nearest = (wanted: ReadonlyArray<WantedField>, condition: Statement.Fragment, order: "ASC" | "DESC") =>
    query(sql<FoundReading>`
      SELECT w.n, ${milliseconds(sql`r.at`)}::float8 AS at, r.state FROM ${fieldsOf(wanted)} CROSS JOIN LATERAL
        ${some(sql`device_id = w.device_id AND ${condition} AND jsonb_typeof(state -> w.field) = 'number'`, order, 1)} AS r`)

  return {
    /** The first readings of each span, the one before the span and the one after it. */
    spans: (wanted: ReadonlyArray<Wanted>, limit: number) =>
      query(sql<Packed>`
        SELECT w.n::int AS n, '[' || string_agg(${packed}, ',' ORDER BY r.at) || ']' AS readings
        FROM ${spansOf(wanted)} CROSS JOIN LATERAL (
          ${some(sql`device_id = w.device_id AND at < w.lower`, "DESC", 1)}
          UNION ALL
          ${some(sql`device_id = w.device_id AND at >= w.lower AND at < w.upper`, "ASC", limit)}
          UNION ALL
          ${some(sql`device_id = w.device_id AND at >= w.upper`, "ASC", 1)}
        ) AS r GROUP BY w.n`).pipe(
        Effect.map((rows) => {
          const texts = new Map(rows.map(({ n, readings }) => [n, readings]))
          return wanted.map((_, place) => unpack(texts.get(place + 1) ?? "[]"))
        })
      ),
    neighbours: (wanted: ReadonlyArray<Wanted>) =>
      query(sql<Neighbours>`
        SELECT ${reading("previous")} AS before, ${reading("next")} AS after
        FROM ${spansOf(wanted)}
        LEFT JOIN LATERAL ${some(sql`device_id = w.device_id AND at < w.lower`, "DESC", 1)} AS previous ON true
        LEFT JOIN LATERAL ${some(sql`device_id = w.device_id AND at >= w.upper`, "ASC", 1)} AS next ON true
        ORDER BY w.n`),
    /** The last reading of each before its instant. */
    before: (wanted: ReadonlyArray<WantedField>) =>
      wanted.length === 0 ? Effect.succeed([]) : nearest(wanted, sql`at < w.edge AND at >= w.bound`, "DESC"),
    /** The first reading of each from its instant on. */
    after: (wanted: ReadonlyArray<WantedField>) =>
      wanted.length === 0 ? Effect.succeed([]) : nearest(wanted, sql`at >= w.edge AND at < w.bound`, "ASC")
  }
})

/** The readings that energies are computed from. */
export class EnergyReadingsRepository extends Context.Service<EnergyReadingsRepository, Effect.Success<typeof make>>()(
  "@edp/server/EnergyReadingsRepository"
) {
  static readonly layer = Layer.effect(EnergyReadingsRepository, make)
}
