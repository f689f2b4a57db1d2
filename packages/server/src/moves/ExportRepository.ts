import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows, queryIds, queryRows } from "../platform/sql/rows.ts"
import { withoutTimeLimit } from "../platform/sql/ResponseWatch.ts"
import { inSnapshot, query } from "../platform/sql/transaction.ts"
import { holdPartitions, movedReadings } from "../readings/history/movedReadingsSql.ts"
import type { MovedTable } from "./movedTables.ts"

const LineRow = Schema.Struct({ line: Schema.String })
const ReadingRow = Schema.Struct({
  device_id: Schema.String,
  micros: Schema.String,
  id: Schema.String,
  state: Schema.String
})
const HeadRow = Schema.Struct({ schema: Schema.Finite, sequence: Schema.String, transaction: Schema.String })

/** The condition on rows that were written since a transaction. Numbers of transactions wrap around, and older ones than half of them do not occur. */
const writtenSince = (alias: string, transaction: number) =>
  `(${alias}.xmin::text::bigint - ${transaction} + 4294967296) % 4294967296 < 2147483648`

/** The statements of exports. */
export const ExportRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Reads with a cursor, so that memory is bounded by the part. */
  const inParts = Effect.fnUntraced(function* <Row, E>(
    statement: string,
    values: ReadonlyArray<string>,
    rows: number,
    decode: (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) => Effect.Effect<ReadonlyArray<Row>, unknown>,
    each: (rows: ReadonlyArray<Row>) => Effect.Effect<void, E>
  ) {
    yield* query(sql.unsafe(`DECLARE moved NO SCROLL CURSOR FOR ${statement}`, [...values]))
    const next = Effect.orDie(decode(query(sql.unsafe(`FETCH ${rows} FROM moved`))))
    for (let part = yield* next; part.length > 0; part = yield* next) yield* each(part)
    yield* query(sql.unsafe("CLOSE moved"))
  })

  return {
    /** Runs the effect in one snapshot of the database, whose statements may take long. No partition of readings is dropped meanwhile. */
    snapshot: <A, E>(effect: Effect.Effect<A, E>) =>
      inSnapshot(query(withoutTimeLimit(sql, Effect.andThen(query(sql.unsafe(holdPartitions)), effect)))).pipe(
        Effect.provideService(SqlClient.SqlClient, sql)
      ),
    head: queryRows(HeadRow)(sql`SELECT (SELECT max(migration_id) FROM migrations)::int AS schema,
        (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM event_sequence)::text AS sequence,
        (pg_snapshot_xmin(pg_current_snapshot())::text::bigint % 4294967296)::text AS transaction`).pipe(
      Effect.map(([row]) => row!)
    ),
    /** The rows of a table as JSON, in parts; only those that were written since a transaction, if there is one. */
    lines: <E>(
      { rows, table }: MovedTable,
      workspaceId: string,
      since: number | undefined,
      most: number,
      each: (lines: ReadonlyArray<string>) => Effect.Effect<void, E>
    ) =>
      inParts(
        `SELECT row_to_json(t)::text AS line FROM ${table} t WHERE (${rows})${since === undefined ? "" : ` AND ${writtenSince("t", since)}`}`,
        [workspaceId],
        most,
        decodeRows(LineRow),
        // A column of the type json may hold line ends between its parts.
        (found) => each(found.map(({ line }) => line.replaceAll("\n", " ")))
      ),
    /** The readings from an instant on, in milliseconds since 1970. */
    readings: <E>(
      workspaceId: string,
      from: number,
      since: number | undefined,
      most: number,
      each: (readings: ReadonlyArray<typeof ReadingRow.Type>) => Effect.Effect<void, E>
    ) =>
      inParts(
        since === undefined ? movedReadings : `${movedReadings} AND ${writtenSince("r", since)}`,
        [workspaceId, new Date(from).toISOString()],
        most,
        decodeRows(ReadingRow),
        each
      ),
    deviceIds: (workspaceId: string) =>
      queryIds(sql`SELECT id FROM devices WHERE origin_workspace_id = ${workspaceId} ORDER BY id`)
  }
})
