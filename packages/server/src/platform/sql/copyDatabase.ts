import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { ensurePartition } from "./ensurePartition.ts"
import { decodeRows } from "./rows.ts"
import { withoutTimeLimit } from "./ResponseWatch.ts"

/** Rows that are read and written at a time. */
const ROWS = 2000

const TableRow = Schema.Struct({ name: Schema.String })
const ReferenceRow = Schema.Struct({ from: Schema.String, to: Schema.String })
const ColumnsRow = Schema.Struct({ columns: Schema.String })
const LineRow = Schema.Struct({ line: Schema.String })
const SequenceRow = Schema.Struct({ name: Schema.String, value: Schema.NullOr(Schema.String) })

/** Each name after those that it refers to. */
const inOrder = (names: ReadonlyArray<string>, references: ReadonlyArray<typeof ReferenceRow.Type>) => {
  const ordered = new Set<string>()
  const add = (name: string) => {
    if (ordered.has(name)) return
    for (const { from, to } of references) if (from === name && to !== name) add(to)
    ordered.add(name)
  }
  names.forEach(add)
  return [...ordered]
}

const listTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const names = yield* decodeRows(TableRow)(sql`SELECT relname AS name FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> 'migrations' ORDER BY relname`)
    const references = yield* decodeRows(ReferenceRow)(sql`SELECT conrelid::regclass::text AS from,
      confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`)
    return inOrder(
      names.map(({ name }) => name),
      references
    )
  })

/** Creates partitions as the other database has them: their names end in a month or a day. */
const copyPartitions = Effect.fnUntraced(function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient) {
  const partitions = yield* decodeRows(TableRow)(from`SELECT relname AS name FROM pg_inherits
    JOIN pg_class ON pg_class.oid = inhrelid AND relkind = 'r' ORDER BY relname`)
  for (const { name } of partitions) {
    const [, table = "", year, month, day = "01"] = /^(.+)_(\d{4})(\d{2})(\d{2})?$/.exec(name) ?? []
    yield* ensurePartition(to, table, `${year}-${month}-${day}`)
  }
})

/** Copies the rows of a table in parts, without its triggers, whose effects are copied with the other tables. */
const copyTable = Effect.fnUntraced(function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient, table: string) {
  const [{ columns }] = (yield* decodeRows(
    ColumnsRow
  )(to`SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
    FROM pg_attribute WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`)) as [
    typeof ColumnsRow.Type
  ]
  yield* to.unsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  yield* to.unsafe(`DELETE FROM ${table}`)
  yield* from.unsafe(`DECLARE copied NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${table} t`)
  let copied = 0
  for (;;) {
    const rows = yield* decodeRows(LineRow)(from.unsafe(`FETCH ${ROWS} FROM copied`))
    if (rows.length === 0) break
    const lines = `[${rows.map(({ line }) => line).join(",")}]`
    yield* to.unsafe(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
      [lines]
    )
    copied += rows.length
  }
  yield* from.unsafe("CLOSE copied")
  yield* to.unsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  return copied
})

const copySequences = Effect.fnUntraced(function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient) {
  const sequences = yield* decodeRows(SequenceRow)(from`SELECT sequencename AS name, last_value::text AS value
    FROM pg_sequences WHERE schemaname = current_schema()`)
  for (const { name, value } of sequences) {
    if (value !== null) yield* to`SELECT setval(${name}, ${value}::bigint)`
  }
})

/**
 * Copies a whole database into another one of the same version, in one transaction: an interrupted copy leaves nothing but empty
 * partitions. Nothing else may write either of them. Returns the number of rows.
 */
export const copyDatabase = (
  from: SqlClient.SqlClient,
  to: SqlClient.SqlClient,
  report: (table: string, rows: number) => Effect.Effect<void>
): Effect.Effect<number, SqlError.SqlError> =>
  Effect.andThen(
    copyPartitions(from, to),
    from.withTransaction(
      to.withTransaction(
        withoutTimeLimit(
          to,
          Effect.gen(function* () {
            for (const setting of ["lock_timeout", "idle_in_transaction_session_timeout"]) {
              yield* to.unsafe(`SET LOCAL ${setting} = 0`)
            }
            let all = 0
            for (const table of yield* listTables(from)) {
              const rows = yield* copyTable(from, to, table)
              if (rows > 0) yield* report(table, rows)
              all += rows
            }
            yield* copySequences(from, to)
            return all
          })
        )
      )
    )
  ).pipe(Effect.tap(() => to.withTransaction(withoutTimeLimit(to, to.unsafe("ANALYZE")))))
