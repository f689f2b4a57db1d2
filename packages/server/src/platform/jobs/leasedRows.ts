import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { leaseName } from "./JobRunner.ts"
import { untilDatabaseTime } from "./workWait.ts"
import { queryRows } from "../sql/rows.ts"
import { query } from "../sql/transaction.ts"

/** The lease of a row. */
export const RowClaim = Schema.Struct({ id: Schema.String, claim: Schema.String, failures: Schema.Finite })
export type RowClaim = typeof RowClaim.Type

const Lease = Schema.Struct({ id: Schema.String, claim: Schema.String })

/** A table whose rows are leased. It has the columns `claim`, `holder` and `failures`. */
export interface LeasedTable {
  readonly table: string
  /** The column by which a row is known. */
  readonly id: string
  /** The column with the time from which a row may be claimed. */
  readonly due?: string
  readonly leaseSeconds: number
  /** The rows that may be claimed. */
  readonly isAwake: Statement.Fragment
  /** Further assignments of a claim, which begin with a comma. */
  readonly onClaim?: Statement.Fragment
}

// Times are the database's, so that processes whose clocks differ agree on leases.
/** The statements on leases of rows: when one is due, and which process holds it. */
export const leasedRows = (
  sql: SqlClient.SqlClient,
  { due: dueColumn = "due_at", id: column, isAwake, leaseSeconds, onClaim = sql``, table }: LeasedTable
) => {
  const rows = sql(table)
  const id = sql(column)
  const due = sql(dueColumn)
  const leased = sql.literal(`clock_timestamp() + interval '${leaseSeconds} seconds'`)
  const later = (pauseMs: number) => sql`clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond'`
  return {
    /** The end of a lease that begins now. */
    leased,
    later,
    claim: (claim: string, holder: string, limit: number) =>
      queryRows(RowClaim)(sql`WITH due AS MATERIALIZED (
          SELECT ${id} AS id FROM ${rows} WHERE ${due} <= now() AND ${isAwake}
          ORDER BY ${due} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        UPDATE ${rows} p SET claim = ${claim}::uuid, holder = ${holder}::uuid, ${due} = ${leased}${onClaim}
        FROM due WHERE p.${id} = due.id RETURNING due.id, p.claim, p.failures`),
    /** Milliseconds until a row is due. */
    nextDue: untilDatabaseTime(sql, sql`(SELECT min(${due}) FROM ${rows} WHERE claim IS NULL AND ${isAwake})`),
    /** Extends leases whose claims are still held. Returns their names. */
    renew: (claims: ReadonlyArray<RowClaim>) =>
      queryRows(Lease)(sql`WITH held AS MATERIALIZED (
          SELECT p.${id} AS id FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) AS given (id text, claim uuid)
          JOIN ${rows} p ON p.${id} = given.id AND p.claim = given.claim ORDER BY 1 FOR UPDATE OF p
        )
        UPDATE ${rows} p SET ${due} = ${leased} FROM held WHERE p.${id} = held.id
        RETURNING held.id, p.claim`).pipe(
        Effect.map((found) => new Set(found.map(({ claim, id: item }) => leaseName(claim, item))))
      ),
    /** Ends a lease whose claim is still held; the row is due again after a pause. */
    putOff: ({ claim, id: item }: RowClaim, pauseMs: number) =>
      query(sql`UPDATE ${rows} SET claim = NULL, ${due} = ${later(pauseMs)}
        WHERE ${id} = ${item} AND claim = ${claim}::uuid`),
    /** Ends the leases of a process that is gone. */
    endLeases: (holder: string) =>
      query(sql`UPDATE ${rows} SET claim = NULL, ${due} = least(${due}, clock_timestamp())
        WHERE holder = ${holder}::uuid AND claim IS NOT NULL`),
    /** Lets no row wait longer than a lease or the longest pause, counted from now. */
    limitWaits: query(sql`UPDATE ${rows} SET ${due} = ${leased} WHERE ${due} > ${leased} + interval '1 minute'`)
  }
}

export type LeasedRows = ReturnType<typeof leasedRows>
