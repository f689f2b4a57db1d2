import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { quantities } from "../energy/quantities.ts"
import type { Cut, CutDays, DayFigures, DayRow, WantedDays } from "./storedDays.ts"

const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

const CHARGE = quantities.indexOf("charge")

interface CutRow extends Pick<CutDays, "deviceId" | "quantity" | "days">, DayFigures {
  readonly cutAmounts?: DayFigures["amounts"]
  readonly cutCovered?: DayFigures["covered"]
  readonly cutLatest?: DayFigures["latest"]
}

const cutDays = ({ deviceId, quantity, days, cutAmounts, cutCovered, cutLatest, ...whole }: CutRow): CutDays => ({
  deviceId,
  quantity,
  days,
  whole,
  before: cutAmounts && cutCovered && { amounts: cutAmounts, covered: cutCovered, latest: cutLatest }
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const unnestDays = (wanted: ReadonlyArray<WantedDays>) => sql`unnest(
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
        FROM ${unnestDays(wanted)} ${joined}`),
    /** The first and last day of each span in full, and those between without their figures. */
    ends: (wanted: ReadonlyArray<WantedDays>) => {
      const atEnds = (values: string) => sql`CASE WHEN r.day IN (w.first, w.last) THEN r.${sql(values)} ELSE '{}' END`
      return query(sql<DayRow>`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day,
          ${atEnds("amounts")} AS amounts, ${atEnds("covered")} AS covered, ${atEnds("latest")} AS latest
        FROM ${unnestDays(wanted)} ${joined}`)
    },
    /**
     * Sums of whole days and of the parts before cuts, in the order of days: all that buckets of
     * days or longer need.
     */
    cut: (wanted: ReadonlyArray<WantedDays>, cuts: ReadonlyArray<Cut>) => {
      const isCut = cuts.length > 0
      const hasLatest = wanted.some(({ quantity }) => quantity === CHARGE)
      const last = (values: string) => sql`array_agg(r.${sql(values)}[cardinality(r.${sql(values)})])`
      // An array by day, so that each day finds its cut directly. A cut of 0 has nothing before it.
      const [first, final] = [cuts[0]?.day ?? 0, cuts.at(-1)?.day ?? 0]
      const quarters = Array.from({ length: final - first + 1 }, () => 0)
      for (const cut of cuts) quarters[cut.day - first] = cut.quarters
      const cutAt = sql`(${quarters}::int[])[r.day - ${date(first)}::date + 1]`
      const until = (values: string) => sql`array_agg(r.${sql(values)}[least(${cutAt}, cardinality(r.${sql(values)}))])`
      const columns = [
        sql`array_agg(${day}) AS days, ${last("amounts")} AS amounts, ${last("covered")} AS covered`,
        ...(hasLatest ? [sql`${last("latest")} AS latest`] : []),
        ...(isCut ? [sql`${until("amounts")} AS "cutAmounts", ${until("covered")} AS "cutCovered"`] : []),
        ...(isCut && hasLatest ? [sql`${until("latest")} AS "cutLatest"`] : [])
      ]
      return query(sql<CutRow>`SELECT w.device_id AS "deviceId", w.quantity, found.* FROM ${unnestDays(wanted)}
        CROSS JOIN LATERAL (SELECT ${sql.csv(columns)} FROM energy_rollups r
          WHERE r.device_id = w.device_id AND r.quantity = w.quantity AND r.day BETWEEN w.first AND w.last) AS found
        WHERE found.days IS NOT NULL`).pipe(Effect.map((rows) => rows.map(cutDays)))
    }
  }
})

/** Reads stored days. */
export class RollupDaysRepository extends Context.Service<RollupDaysRepository, Effect.Success<typeof make>>()(
  "@edp/server/RollupDaysRepository"
) {
  static readonly layer = Layer.effect(RollupDaysRepository, make)
}
