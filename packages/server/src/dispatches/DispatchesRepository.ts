import type { DispatchFilters } from "@edp/domain/dispatches/Dispatch"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, conditions, limited } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { untilTime, whileAny } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { DISPATCHES } from "./dispatchLimits.ts"
import { DispatchRow, StateCount, dispatchColumns } from "./dispatchRow.ts"
import { decodeRows, decodeCount, decodeIds } from "../platform/sql/rows.ts"

export type Filters = Omit<Schema.Struct.Type<typeof DispatchFilters>, "page" | "perPage">

const ParticipantsRow = Schema.Struct({ ...StateCount.fields, dispatchId: Schema.String })

const hasBegun = ({ status }: DispatchRow) => status !== "draft" && status !== "scheduled"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const columns = sql.literal(dispatchColumns)
  const json = (value: unknown) => sql`${JSON.stringify(value)}::json`

  const matching = (programInstanceId: string, { from, status, test, to }: Filters) =>
    sql.and([
      sql`program_instance_id = ${programInstanceId}`,
      ...isAnyOf("status", status),
      ...(test === undefined ? [] : [sql`test = ${test === "true"}`]),
      ...(from === undefined ? [] : [sql`ends_at > ${new Date(parseTimestamp(from)!)}`]),
      ...(to === undefined ? [] : [sql`starts_at < ${new Date(parseTimestamp(to)!)}`])
    ])

  return {
    list: (programInstanceId: string, filters: Filters, limit: number, offset: number) =>
      query(
        decodeRows(DispatchRow)(
          sql`SELECT ${columns} FROM dispatches WHERE ${matching(programInstanceId, filters)}
        ORDER BY id DESC ${limited(sql, limit, offset)}`.unprepared
        )
      ),
    count: (programInstanceId: string, filters: Filters) =>
      query(
        decodeCount(
          sql`SELECT count(*)::int AS n FROM dispatches
          WHERE ${matching(programInstanceId, filters)}`.unprepared
        )
      ),
    /** The participants of each dispatch by state. */
    participants: (ids: ReadonlyArray<string>) =>
      query(
        decodeRows(ParticipantsRow)(sql`SELECT dispatch_id AS "dispatchId", state,
          count(*)::int AS n
        FROM dispatch_sites WHERE dispatch_id = ${anyOf(sql, ids)} GROUP BY dispatch_id, state`)
      ),
    get: (workspaceId: string, id: string) =>
      query(
        decodeRows(DispatchRow)(
          sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}`
        )
      ),
    /** For a transaction: locks the dispatch against other changes and against the runner. */
    hold: (workspaceId: string, id: string) =>
      query(
        decodeRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}
        FOR NO KEY UPDATE`)
      ),
    /** For a transaction: locks the dispatch against changes and the runner, but not against others that hold it so. Sites opt out at the same time. */
    holdShared: (workspaceId: string, id: string) =>
      query(
        decodeRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}
        FOR SHARE`)
      ),
    insert: (row: DispatchRow) =>
      query(sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals,
          priority, randomize_start_seconds, voluntary, test, nominated_power_w, baseline, status, reason, due_at,
          created_at, updated_at)
        VALUES (${row.id}, ${row.workspaceId}, ${row.programInstanceId}, ${row.name}, ${row.startsAt}, ${row.endsAt},
          ${json(row.intervals)}, ${row.priority}, ${row.randomizeStartSeconds}, ${row.voluntary}, ${row.test},
          ${row.nominatedPowerW}::float8, ${json(row.baseline)}, ${row.status}, ${row.reason}, ${row.dueAt},
          ${row.createdAt}, ${row.updatedAt})`),
    /** For a transaction that holds the dispatch: stores it as it is now. When it has begun or ended, results of its sites are to be kept. */
    save: (row: DispatchRow) =>
      query(sql`UPDATE dispatches SET name = ${row.name}, starts_at = ${row.startsAt}, ends_at = ${row.endsAt},
          intervals = ${json(row.intervals)}, priority = ${row.priority},
          randomize_start_seconds = ${row.randomizeStartSeconds}, voluntary = ${row.voluntary}, test = ${row.test},
          nominated_power_w = ${row.nominatedPowerW}::float8, baseline = ${json(row.baseline)}, status = ${row.status},
          reason = ${row.reason}, due_at = ${row.dueAt}, updated_at = ${row.updatedAt},
          results_due_at = CASE WHEN status <> ${row.status} AND ${hasBegun(row)} THEN ${row.updatedAt}::timestamptz ELSE results_due_at END
        WHERE id = ${row.id}`),
    /** Dispatches that begin, end, or have devices without their settings from before. */
    due: (now: Date, limit: number) =>
      query(
        decodeIds(sql`SELECT id FROM dispatches WHERE due_at <= ${now}
          AND ${isReady(sql, DISPATCHES, "dispatches.id")} ORDER BY due_at ${limited(sql, limit)}`)
      ),
    /** Milliseconds until a dispatch or one of its devices is due. A running dispatch always is: its participants may leave. */
    nextDue: untilTime(
      sql,
      sql`least((SELECT min(due_at) FROM dispatches WHERE due_at IS NOT NULL),
        (SELECT min(due_at) FROM dispatch_devices WHERE due_at > '-infinity'),
        (SELECT timestamptz 'epoch' FROM dispatches WHERE status = 'running' LIMIT 1))`
    ),
    /** 0 while a dispatch runs, else Infinity. */
    whileRunning: whileAny(sql, sql`SELECT FROM dispatches WHERE status = 'running'`),
    /** For a transaction: locks a dispatch that is still due, unless another transaction has locked it. */
    claim: (id: string, now: Date) =>
      query(
        decodeRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND due_at <= ${now}
        FOR NO KEY UPDATE SKIP LOCKED`)
      )
  }
})

export class DispatchesRepository extends Context.Service<DispatchesRepository, Effect.Success<typeof make>>()(
  "@edp/server/DispatchesRepository"
) {
  static readonly layer = Layer.effect(DispatchesRepository, make)
}
