import { ArchiveHead } from "@edp/domain/moves/WorkspaceMove"
import { DuplicateName, InvalidState, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { departedDeviceTable } from "../devices/departedDeviceTable.ts"
import { manufacturerTable } from "../manufacturers/manufacturerTable.ts"
import { addGoneHolder } from "../platform/jobs/heldLeases.ts"
import { eventTable } from "../platform/outbox/EventPartitions.ts"
import { ensurePartition } from "../platform/sql/ensurePartition.ts"
import { CountRow, decodeRows, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"
import { query } from "../platform/sql/transaction.ts"
import { type MovedTable, movedTables, referredTables } from "./movedTables.ts"

export const ImportRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  name: Schema.String,
  head: ArchiveHead,
  parts: Schema.Finite,
  isFinished: Schema.Boolean
})
export type ImportRow = typeof ImportRow.Type

const StagedRow = Schema.Struct({ part: Schema.Finite, table: Schema.String })
const ContentRow = Schema.Struct({ content: Schema.Uint8Array })
const ColumnRow = Schema.Struct({ name: Schema.String })
const FloorRow = Schema.Struct({ keptFrom: Schema.Date })
const MappingRow = Schema.Struct({ from: Schema.String, to: Schema.String })

const StoredRow = Schema.Struct({ n: Schema.Finite, foreign: Schema.Finite })

/** Values that columns of moved rows get. */
export interface Target {
  readonly workspaceId: string
  readonly organizationId: string
  readonly name: string
  readonly holder: string
  readonly mapping: string
}

/** States of PostgreSQL for values that a column or a constraint does not take, and for a row that comes twice. */
const brokenRows = /^2[123]/

export const brokenPart = () => invalid({ data: "Must be a part of an archive, unchanged" })

const SlugRow = Schema.Struct({ slug: Schema.String })

const byName: ReadonlyMap<string, MovedTable> = new Map(movedTables.map((moved) => [moved.table, moved]))

/** Whether a row `t` that is stored now belongs to another workspace. History comes before its devices, so no device may have it yet. */
const foreignCondition = ({ as, rows }: MovedTable) => {
  if (as === "records" || rows.startsWith("t.workspace_id")) return `(${rows}) IS NOT TRUE`
  return as === "history" ? "EXISTS (SELECT FROM devices AS d WHERE d.id = t.device_id)" : "false"
}

/** The statements of imports. */
export const ImportsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const departed = departedDeviceTable(sql)
  const manufacturers = manufacturerTable(sql)
  const events = eventTable(sql)
  const columns = sql.literal(
    `id, workspace_id AS "workspaceId", name, head, parts, finished_at IS NOT NULL AS "isFinished"`
  )
  const knownColumns = new Map<string, ReadonlyArray<string>>()

  /** The columns of a table that are stored, without those that are computed. */
  const storedColumns = Effect.fnUntraced(function* (table: string) {
    const known = knownColumns.get(table)
    if (known !== undefined) return known
    const rows = yield* queryRows(
      ColumnRow
    )(sql`SELECT attname AS name FROM pg_attribute WHERE attrelid = ${table}::regclass
        AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`)
    const names = rows.map(({ name }) => name)
    knownColumns.set(table, names)
    return names
  })

  const keyColumns = (table: string) =>
    Effect.map(
      queryRows(ColumnRow)(sql`SELECT a.attname AS name FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
        WHERE i.indrelid = ${table}::regclass AND i.indisprimary`),
      (rows) => rows.map(({ name }) => name)
    )

  /**
   * Explains why rows of an archive cannot be stored: another row has a value already, because it was imported before or belongs to another
   * workspace, or the rows are not as an export writes them.
   */
  const explained = <A, E>(table: string, effect: Effect.Effect<A, E>) =>
    Effect.catch(effect, (failure): Effect.Effect<never, E | DuplicateName | InvalidState | ValidationError> => {
      if (!SqlError.isSqlError(failure)) return Effect.fail(failure)
      if (failure.reason._tag !== "UniqueViolation") {
        const { code = "" } = (failure.reason.cause ?? {}) as { readonly code?: string }
        return Effect.fail(brokenRows.test(code) ? brokenPart() : failure)
      }
      return Effect.fail(
        failure.reason.constraint === "workspaces_name_key"
          ? new DuplicateName({ message: "The organization has a workspace of this name" })
          : new InvalidState({ message: `A row of ${table} in the archive exists in this installation already` })
      )
    })

  return {
    find: (organizationId: string, id: string) =>
      queryRows(ImportRow)(sql`SELECT ${columns} FROM workspace_imports
          WHERE id = ${id} AND organization_id = ${organizationId} FOR UPDATE`).pipe(Effect.map(([row]) => row)),
    /** The number of workspaces and imports, also of other organizations, that are in the way of a new import. */
    obstacles: (head: ArchiveHead) =>
      queryCount(sql`SELECT (SELECT count(*) FROM workspaces WHERE id = ${head.workspaceId})::int
          + (SELECT count(*) FROM workspace_imports WHERE id = ${head.exportId}
            OR (workspace_id = ${head.workspaceId} AND finished_at IS NULL))::int AS n`),
    isNameTaken: (organizationId: string, name: string) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM workspaces WHERE organization_id = ${organizationId} AND name = ${name}`
      ).pipe(Effect.map((n) => n > 0)),
    schema: queryCount(sql`SELECT max(migration_id)::int AS n FROM migrations`),
    insert: (organizationId: string, head: ArchiveHead, name: string, now: Date) =>
      queryRows(ImportRow)(sql`INSERT INTO workspace_imports (id, organization_id, workspace_id, name, head, updated_at)
          VALUES (${head.exportId}, ${organizationId}, ${head.workspaceId}, ${name}, ${JSON.stringify(head)}::jsonb, ${now})
          RETURNING ${columns}`).pipe(Effect.map(([row]) => row!)),
    /** Begins the archive that follows the one which is stored. The former records are dropped, but for the devices, which may be gone by now. */
    follow: (id: string, head: ArchiveHead, now: Date) =>
      Effect.andThen(
        query(
          sql`DELETE FROM workspace_import_parts WHERE import_id = ${id} AND part >= 0 AND table_name <> 'devices'`
        ),
        Effect.andThen(
          query(sql`UPDATE workspace_import_parts p SET part = former.least - 1 - p.part
            FROM (SELECT least(0, min(part)) AS least FROM workspace_import_parts WHERE import_id = ${id}) AS former
            WHERE p.import_id = ${id} AND p.part >= 0`),
          queryRows(
            ImportRow
          )(sql`UPDATE workspace_imports SET head = ${JSON.stringify(head)}::jsonb, parts = 0, updated_at = ${now}
            WHERE id = ${id} RETURNING ${columns}`).pipe(Effect.map(([row]) => row!))
        )
      ),
    stage: (id: string, part: number, table: string, content: Uint8Array) =>
      query(sql`INSERT INTO workspace_import_parts (import_id, part, table_name, content)
        VALUES (${id}, ${part}, ${table}, ${content})`),
    counted: (id: string, parts: number, now: Date) =>
      query(sql`UPDATE workspace_imports SET parts = ${parts}, updated_at = ${now} WHERE id = ${id}`),
    staged: (id: string) =>
      queryRows(StagedRow)(sql`SELECT part, table_name AS table FROM workspace_import_parts
          WHERE import_id = ${id} ORDER BY part`),
    content: (id: string, part: number) =>
      queryRows(ContentRow)(
        sql`SELECT content FROM workspace_import_parts WHERE import_id = ${id} AND part = ${part}`
      ).pipe(Effect.map(([row]) => row!.content)),
    /** The devices of a list that have left their workspace. */
    departed: (ids: ReadonlyArray<string>) =>
      queryIds(sql`SELECT id FROM unnest(${ids}::text[]) AS given (id)
        WHERE NOT EXISTS (SELECT FROM devices d WHERE d.id = given.id AND d.workspace_id IS NOT NULL)`),
    /** Whether rows of a table have ids of the list. */
    anyExists: Effect.fnUntraced(function* (table: string, ids: ReadonlyArray<string>) {
      if (!(yield* storedColumns(table)).includes("id")) return false
      const rows = yield* queryRows(CountRow)(
        sql`SELECT 1 AS n FROM ${sql(table)} WHERE id = ANY(${ids}::text[]) LIMIT 1`
      )
      return rows.length > 0
    }),
    /** Whether the readings of devices, which were deleted, are still being removed. */
    isForgetting: (ids: ReadonlyArray<string>) =>
      Effect.map(query(departed.anyForgotten(ids)), (rows) => rows.length > 0),
    /** The time from which readings are kept; none if all are. */
    keptFrom: queryRows(FloorRow)(sql`SELECT kept_from AS "keptFrom" FROM readings_floor`).pipe(
      Effect.map(([row]) => row?.keptFrom)
    ),
    /** Not for use in a transaction. */
    ensurePartition: (table: "readings" | "events", day: string) => query(ensurePartition(sql, table, day)),
    /**
     * Stores rows of JSON. Returns how many were not there yet, and how many of these belong to another workspace: an archive may have been
     * made by anybody.
     */
    store: Effect.fnUntraced(function* (
      moved: MovedTable,
      lines: ReadonlyArray<string>,
      to: Target,
      isReplacing = false
    ) {
      const { as, changed = {}, table } = moved
      const names = yield* storedColumns(table)
      const given: Readonly<Record<string, string>> = { 2: to.organizationId, 3: to.holder, 4: to.mapping, 5: to.name }
      const values = [`[${lines.join(",")}]`]
      const value = (name: string) =>
        (changed[name] ?? `t.${name}`).replaceAll(/\$(\d)/g, (_, at: string) => `$${values.push(given[at]!)}`)
      const selected = names.map(value).join(", ")
      const replaced = () =>
        Effect.map(keyColumns(table), (keys) => {
          const others = names.filter((name) => !keys.includes(name)).map((name) => `${name} = excluded.${name}`)
          return `ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${others.join(", ")}`
        })
      const skipping = as === "records" ? "" : isReplacing ? yield* replaced() : "ON CONFLICT DO NOTHING"
      const foreign = foreignCondition(moved).replaceAll("$1", () => `$${values.push(to.workspaceId)}`)
      const statement = sql.unsafe(
        `WITH stored AS (INSERT INTO ${table} (${names.join(", ")}) SELECT ${selected}
          FROM json_populate_recordset(NULL::${table}, $1::json) AS t ${skipping} RETURNING *)
        SELECT count(*)::int AS n, (count(*) FILTER (WHERE ${foreign}))::int AS foreign FROM stored AS t`,
        values
      )
      const [row] = yield* query(explained(table, decodeRows(StoredRow)(statement)))
      return row!
    }),
    /** The first column of a table in which a row of a workspace refers to a row of another one; undefined if none does. */
    foreignReference: Effect.fnUntraced(function* ({ rows, table }: MovedTable, workspaceId: string) {
      for (const column of yield* storedColumns(table)) {
        for (const referred of referredTables[column] ?? []) {
          const parent = byName.get(referred)!
          const [compared, key] = [column.endsWith("_ids") ? `ANY(c.${column})` : `c.${column}`, "id"]
          const found = yield* queryRows(CountRow)(
            sql.unsafe(
              `SELECT 1 AS n FROM (SELECT t.* FROM ${table} AS t WHERE ${rows}) AS c
                WHERE EXISTS (SELECT FROM ${referred} AS t WHERE t.${key} = ${compared} AND (${parent.rows}) IS NOT TRUE) LIMIT 1`,
              [workspaceId]
            )
          )
          if (found.length > 0) return column
        }
      }
      return undefined
    }),
    /** Names of programs and manufacturers that a workspace uses, and that another organization keeps for itself. */
    keptByOthers: (workspaceId: string, organizationId: string) =>
      queryRows(SlugRow)(sql`SELECT p.slug FROM program_instances i JOIN programs p ON p.id = i.program_id
          WHERE i.workspace_id = ${workspaceId} AND p.organization_id <> ${organizationId} AND p.visibility <> 'PUBLIC'
        UNION SELECT d.manufacturer FROM devices d
          WHERE d.origin_workspace_id = ${workspaceId} AND ${manufacturers.isKeptByAnother("d.manufacturer", organizationId)}
        UNION SELECT a.manufacturer FROM accounts a
          WHERE a.workspace_id = ${workspaceId} AND ${manufacturers.isKeptByAnother("a.manufacturer", organizationId)} LIMIT 1`).pipe(
        Effect.map((found) => found.map(({ slug }) => slug))
      ),
    /** Names of rows for all organizations that the installation does not have, such as manufacturers of adapters. */
    missingForAll: (table: "manufacturers" | "programs", lines: ReadonlyArray<string>) =>
      queryRows(
        SlugRow
      )(sql`SELECT given.slug FROM json_populate_recordset(NULL::${sql(table)}, ${`[${lines.join(",")}]`}::json) AS given
          WHERE given.organization_id IS NULL AND NOT EXISTS (SELECT FROM ${sql(table)} known WHERE known.slug = given.slug)`).pipe(
        Effect.map((found) => found.map(({ slug }) => slug))
      ),
    /** Models and programs of this installation that stand for those of the archive, by their ids there. */
    mapping: (models: ReadonlyArray<string>, programs: ReadonlyArray<string>) =>
      queryRows(MappingRow)(sql`
          SELECT given.id AS from, m.id AS to
          FROM json_populate_recordset(NULL::device_models, ${`[${models.join(",")}]`}::json) AS given
          JOIN device_models m ON m.catalogue_key = given.catalogue_key
            OR (m.manufacturer = given.manufacturer AND m.name = given.name)
          WHERE NOT EXISTS (SELECT FROM device_models known WHERE known.id = given.id)
          UNION ALL SELECT given.id, p.id
          FROM json_populate_recordset(NULL::programs, ${`[${programs.join(",")}]`}::json) AS given
          JOIN programs p ON p.slug = given.slug WHERE NOT EXISTS (SELECT FROM programs known WHERE known.id = given.id)`),
    addGoneHolder: (holder: string) => query(addGoneHolder(sql, holder)),
    /** Continues the numbering of events after a sequence. */
    passSequence: (sequence: number) => Effect.andThen(query(events.holdAll), query(events.passSequence(sequence))),
    finish: (id: string, now: Date) =>
      Effect.andThen(
        query(sql`DELETE FROM workspace_import_parts WHERE import_id = ${id}`),
        query(sql`UPDATE workspace_imports SET finished_at = ${now}, updated_at = ${now} WHERE id = ${id}`)
      ),
    remove: (id: string) => query(sql`DELETE FROM workspace_imports WHERE id = ${id}`),
    forget: (deviceIds: ReadonlyArray<string>) => query(departed.forgetHistories(deviceIds)),
    removeEvents: (workspaceId: string) => query(events.removeOf(workspaceId)),
    abandoned: (before: Date) => queryIds(sql`SELECT id FROM workspace_imports WHERE updated_at < ${before} LIMIT 100`),
    /** Locks an import without asking whose it is. */
    lock: (id: string) =>
      queryRows(ImportRow)(sql`SELECT ${columns} FROM workspace_imports WHERE id = ${id} FOR UPDATE`).pipe(
        Effect.map(([row]) => row)
      )
  }
})
