import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"
import type { Cut, CutDays, DayRow, WantedDays } from "./storedDays.ts"

const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const daysOf = (wanted: ReadonlyArray<WantedDays>) => sql`unnest(
    ${wanted.map(({ deviceId }) => deviceId)}::text[],
    ${wanted.map(({ quantity }) => quantity)}::int[],
    ${wanted.map(({ first }) => date(first))}::date[],
    ${wanted.map(({ last }) => date(last))}::date[]
  ) AS w (device_id, quantity, first, last)`
  const joined = sql`JOIN energy_rollups r
    ON r.device_id = w.device_id AND r.quantity = w.quantity AND r.day BETWEEN w.first AND w.last`
  const day = sql`r.day - DATE '1970-01-01'`

  return {
    whole: (wanted: ReadonlyArray<WantedDays>) =>
      query(sql<DayRow>`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day, r.amounts, r.covered, r.latest
        FROM ${daysOf(wanted)} ${joined}`),
    /** The days at the ends of each span whole, and the others without their figures. */
    ends: (wanted: ReadonlyArray<WantedDays>) => {
      const atEnds = (values: string) => sql`CASE WHEN r.day IN (w.first, w.last) THEN r.${sql(values)} ELSE '{}' END`
      return query(sql<DayRow>`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day,
          ${atEnds("amounts")} AS amounts, ${atEnds("covered")} AS covered, ${atEnds("latest")} AS latest
        FROM ${daysOf(wanted)} ${joined}`)
    },
    /** Whole days and their parts before the cuts, which come in the order of their days: all that buckets of days or longer need. */
    cut: (wanted: ReadonlyArray<WantedDays>, cuts: ReadonlyArray<Cut>) => {
      // By the day, so that each finds its own at once: these are as many as the days.
      const [first, final] = [cuts[0]?.day ?? 0, cuts.at(-1)?.day ?? 0]
      const quarters = Array.from({ length: final - first + 1 }, () => 0)
      for (const cut of cuts) quarters[cut.day - first] = cut.quarters
      const last = (values: string) => sql`r.${sql(values)}[cardinality(r.${sql(values)})]`
      const until = (values: string) =>
        sql`CASE WHEN c.quarters > 0 THEN r.${sql(values)}[least(c.quarters, cardinality(r.${sql(values)}))] END`
      return query(sql<CutDays>`
        SELECT r.device_id AS "deviceId", r.quantity, array_agg(${day}) AS days,
          array_agg(${last("amounts")}) AS amounts, array_agg(${last("covered")}) AS covered,
          array_agg(${last("latest")}) AS latest, array_agg(${until("amounts")}) AS "cutAmounts",
          array_agg(${until("covered")}) AS "cutCovered", array_agg(${until("latest")}) AS "cutLatest"
        FROM ${daysOf(wanted)} ${joined}
        CROSS JOIN LATERAL (SELECT (${quarters}::int[])[r.day - ${date(first)}::date + 1] AS quarters) AS c
        GROUP BY r.device_id, r.quantity`)
    }
  }
})

/** The stored days of devices. */
export class RollupDaysRepository extends Context.Service<RollupDaysRepository, Effect.Success<typeof make>>()(
  "@edp/server/RollupDaysRepository"
) {
  static readonly layer = Layer.effect(RollupDaysRepository, make)
}
