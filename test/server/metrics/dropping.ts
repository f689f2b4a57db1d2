import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dropAt, type Instance, RETENTION } from "./measuring.ts"

const DAY = 86_400_000

export const onSql = <A extends object>(
  on: Instance,
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>
) => on.runPromise(Effect.flatMap(SqlClient.SqlClient, statement))

/** The tables of the readings, by their months. */
export const listMonths = async (on: Instance) => {
  const rows = await onSql(
    on,
    (sql) => sql<{ readonly name: string }>`SELECT relname AS name FROM pg_inherits JOIN pg_class
      ON pg_class.oid = inhrelid WHERE inhparent = 'readings'::regclass ORDER BY relname`
  )
  return rows.map(({ name }) => name.replace(/^readings_(\d{4})(\d{2})$/, "$1-$2"))
}

/** Drops what can be dropped when all before an instant is older than is to be kept; returns whether more can be soon. */
export const dropOld = (on: Instance, keptFrom: number) => dropAt(on, keptFrom + (RETENTION + 1) * DAY)

export const isDropped = async (on: Instance, keptFrom: number) =>
  (await listMonths(on)).every((month) => Date.parse(month) >= keptFrom)

/** Drops what is before an instant, and returns whether it is dropped: not while rollups are behind. */
export const dropBefore = async (on: Instance, keptFrom: number): Promise<boolean> => {
  if (await dropOld(on, keptFrom)) throw new Error("Something is left of what can be dropped")
  return isDropped(on, keptFrom)
}
