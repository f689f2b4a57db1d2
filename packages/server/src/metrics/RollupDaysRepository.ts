import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { quantities } from "../energy/quantities.ts"
import { type Cut, type CutDays, DayRow, QUARTERS, type WantedDays } from "./storedDays.ts"
import { queryRows } from "../platform/sql/rows.ts"

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

/** The sums of a group's devices in the parts of a UTC day before and after a cut; amounts as text, µWh. */
const GroupDayRow = Schema.Struct({
  group: Schema.Finite,
  quantity: Schema.Finite,
  day: Schema.Finite,
  before: Schema.String,
  coveredBefore: Schema.Finite,
  after: Schema.String,
  coveredAfter: Schema.Finite
})

/** A span of a device, in quarters of an hour since 1970. */
export interface GroupedSpan {
  readonly deviceId: string
  readonly group: number
  readonly from: number
  readonly to: number
}

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

/** Reads stored days. */
export const RollupDaysRepository = Effect.gen(function* () {
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
      queryRows(DayRow)(sql`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day, r.amounts, r.covered, r.latest
        FROM ${unnestDays(wanted)} ${joined}`),
    /** The first and last day of each span in full, and those between without their figures. */
    ends: (wanted: ReadonlyArray<WantedDays>) => {
      const atEnds = (values: string) => sql`CASE WHEN r.day IN (w.first, w.last) THEN r.${sql(values)} ELSE '{}' END`
      return queryRows(DayRow)(sql`SELECT r.device_id AS "deviceId", r.quantity, ${day} AS day,
          ${atEnds("amounts")} AS amounts, ${atEnds("covered")} AS covered, ${atEnds("latest")} AS latest
        FROM ${unnestDays(wanted)} ${joined}`)
    },
    /** Sums spans of devices by group and UTC day, of which some are cut. Not for a charge. */
    sums: (spans: ReadonlyArray<GroupedSpan>, cuts: ReadonlyMap<number, number>, wanted: ReadonlyArray<number>) => {
      const first = Math.floor(spans.reduce((least, { from }) => Math.min(least, from), Infinity) / QUARTERS)
      const last = Math.floor(spans.reduce((most, { to }) => Math.max(most, to - 1), 0) / QUARTERS)
      const quarters = Array.from({ length: last - first + 1 }, (_, n) => cuts.get(first + n) ?? 0)
      const at = (values: string, position: string) =>
        sql`coalesce(r.${sql(values)}[least(${sql.literal(position)}, cardinality(r.${sql(values)}))], 0)`
      const parts = (values: string) =>
        sql`${at(values, "p.cut")} - ${at(values, "p.since")} AS ${sql(`${values}_before`)},
          ${at(values, "p.until")} - ${at(values, "p.cut")} AS ${sql(`${values}_after`)}`
      return queryRows(GroupDayRow)(
        sql`WITH asked AS MATERIALIZED (SELECT ${quarters}::int[] AS quarters, ${first}::int AS first)
        SELECT w."group", q.quantity, found.day, sum(amounts_before)::text AS before, sum(amounts_after)::text AS after,
          sum(covered_before)::float8 AS "coveredBefore", sum(covered_after)::float8 AS "coveredAfter"
        FROM asked, unnest(
            ${spans.map(({ deviceId }) => deviceId)}::text[],
            ${spans.map(({ group }) => group)}::int[],
            ${spans.map(({ from }) => from)}::int[],
            ${spans.map(({ to }) => to)}::int[]
          ) AS w (device_id, "group", since, until)
          CROSS JOIN unnest(${wanted}::int[]) AS q (quantity)
          CROSS JOIN LATERAL (
            SELECT ${day} AS day, ${parts("amounts")}, ${parts("covered")}
            FROM energy_rollups r
              CROSS JOIN LATERAL (SELECT (${day}) * ${sql.literal(`${QUARTERS}`)} AS start) AS d
              CROSS JOIN LATERAL (SELECT greatest(w.since - start, 0) AS since, least(w.until - start, ${sql.literal(`${QUARTERS}`)}) AS until) AS e
              CROSS JOIN LATERAL (
                SELECT e.since, e.until, least(greatest(quarters[${day} - first + 1], e.since), e.until) AS cut
              ) AS p
            WHERE r.device_id = w.device_id AND r.quantity = q.quantity
              AND r.day BETWEEN DATE '1970-01-01' + w.since / ${sql.literal(`${QUARTERS}`)}
                AND DATE '1970-01-01' + (w.until - 1) / ${sql.literal(`${QUARTERS}`)}
            OFFSET 0
          ) AS found
        GROUP BY 1, 2, 3`.unprepared
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
      return queryRows(CutRow)(sql`SELECT w.device_id AS "deviceId", w.quantity, found.* FROM ${unnestDays(wanted)}
        CROSS JOIN LATERAL (SELECT ${sql.csv(columns)} FROM energy_rollups r
          WHERE r.device_id = w.device_id AND r.quantity = w.quantity AND r.day BETWEEN w.first AND w.last) AS found
        WHERE found.days IS NOT NULL`).pipe(Effect.map((rows) => rows.map(cutDays)))
    }
  }
})
