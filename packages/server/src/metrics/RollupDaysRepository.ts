import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { quantities } from "../energy/quantities.ts"
import { type Cut, type CutDays, DayRow, type WantedDays } from "./storedDays.ts"
import { decodeRows } from "../platform/sql/rows.ts"

const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

const CHARGE = quantities.indexOf("charge")

const amounts = Schema.Array(Schema.NullOr(Schema.BigInt))
const numbers = Schema.Array(Schema.NullOr(Schema.Finite))

/** Days of a device's quantity. Only a charge has `latest`, and only days that are cut have the others. */
const CutRow = Schema.Struct({
  deviceId: Schema.String,
  quantity: Schema.Finite,
  days: Schema.Array(Schema.Finite),
  amounts,
  covered: numbers,
  latest: Schema.optionalKey(numbers),
  cutAmounts: Schema.optionalKey(amounts),
  cutCovered: Schema.optionalKey(numbers),
  cutLatest: Schema.optionalKey(numbers)
})
type CutRow = typeof CutRow.Type

const cutDays = ({
  deviceId,
  quantity,
  days,
  cutAmounts,
  cutCovered,
  cutLatest,
  latest,
  ...whole
}: CutRow): CutDays => ({
  deviceId,
  quantity,
  days,
  whole: { ...whole, latest },
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
      query(
        decodeRows(
          DayRow
        )(sql`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day, r.amounts, r.covered, r.latest
        FROM ${unnestDays(wanted)} ${joined}`)
      ),
    /** The first and last day of each span in full, and those between without their figures. */
    ends: (wanted: ReadonlyArray<WantedDays>) => {
      const atEnds = (values: string) => sql`CASE WHEN r.day IN (w.first, w.last) THEN r.${sql(values)} ELSE '{}' END`
      return query(
        decodeRows(DayRow)(sql`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day,
          ${atEnds("amounts")} AS amounts, ${atEnds("covered")} AS covered, ${atEnds("latest")} AS latest
        FROM ${unnestDays(wanted)} ${joined}`)
      )
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
      return query(
        decodeRows(CutRow)(sql`SELECT w.device_id AS "deviceId", w.quantity, found.* FROM ${unnestDays(wanted)}
        CROSS JOIN LATERAL (SELECT ${sql.csv(columns)} FROM energy_rollups r
          WHERE r.device_id = w.device_id AND r.quantity = w.quantity AND r.day BETWEEN w.first AND w.last) AS found
        WHERE found.days IS NOT NULL`)
      ).pipe(Effect.map((rows) => rows.map(cutDays)))
    }
  }
})

/** Reads stored days. */
export class RollupDaysRepository extends Context.Service<RollupDaysRepository, Effect.Success<typeof make>>()(
  "@edp/server/RollupDaysRepository"
) {
  static readonly layer = Layer.effect(RollupDaysRepository, make)
}
