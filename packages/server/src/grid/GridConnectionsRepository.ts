import type { GridConnectionStatus } from "@edp/domain/grid/GridConnection"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { leasedRows, type RowClaim } from "../platform/jobs/leasedRows.ts"
import { limited } from "../platform/sql/lists.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { query } from "../platform/sql/transaction.ts"
import { pausedWorkspaces, workspaceTable } from "../workspaces/workspaceTable.ts"
import { gridLimits } from "./gridLimits.ts"
import { connectionExpressions, ConnectionRow } from "./gridRow.ts"

/** The changes of a poll to its connection. */
export interface PollResult {
  readonly venId: string | null
  readonly error: string | null
  /** Whether the VTN was read. */
  readonly isRead: boolean
  readonly pauseMs: number
}

/** The statements of grid connections. */
export const gridConnections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leases = leasedRows(sql, {
    table: "grid_connections",
    id: "id",
    due: "poll_at",
    leaseSeconds: gridLimits.leaseSeconds,
    isAwake: sql`workspace_id NOT IN (${pausedWorkspaces(sql)})`,
    onClaim: sql`, attempted_at = clock_timestamp(), hinted_at = NULL`
  })
  const all = sql.literal(selectList(ConnectionRow, connectionExpressions))
  const inStatus: Readonly<Record<GridConnectionStatus, ReturnType<typeof sql.literal>>> = {
    paused: sql.literal("NOT enabled"),
    failing: sql.literal("(enabled AND failing_since IS NOT NULL)"),
    connecting: sql.literal("(enabled AND failing_since IS NULL AND last_polled_at IS NULL)"),
    connected: sql.literal("(enabled AND failing_since IS NULL AND last_polled_at IS NOT NULL)")
  }
  const matching = (workspaceId: string, statuses: ReadonlyArray<GridConnectionStatus> | undefined) =>
    sql.and([
      sql`workspace_id = ${workspaceId}`,
      ...(statuses === undefined ? [] : [sql.or(statuses.map((status) => sql`${inStatus[status]}`))])
    ])

  /** When a notified connection is polled next. One that fails keeps a longer pause. */
  const afterHint = sql`greatest(clock_timestamp(), coalesce(attempted_at, '-infinity')
    + CASE WHEN failures = 0 THEN ${gridLimits.hintPauseMs}::float8 ELSE ${gridLimits.failingHintPauseMs}::float8 END
      * interval '1 millisecond')`

  return {
    leases,
    list: (
      workspaceId: string,
      statuses: ReadonlyArray<GridConnectionStatus> | undefined,
      limit: number,
      offset: number
    ) =>
      queryRows(ConnectionRow)(sql`SELECT ${all} FROM grid_connections WHERE ${matching(workspaceId, statuses)}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    count: (workspaceId: string, statuses: ReadonlyArray<GridConnectionStatus> | undefined) =>
      queryCount(sql`SELECT count(*)::int AS n FROM grid_connections WHERE ${matching(workspaceId, statuses)}`),
    get: (workspaceId: string, id: string) =>
      queryRows(ConnectionRow)(
        sql`SELECT ${all} FROM grid_connections WHERE id = ${id} AND workspace_id = ${workspaceId}`
      ),
    /** Locks the row until the end of the transaction. */
    lock: (workspaceId: string, id: string) =>
      queryRows(ConnectionRow)(sql`SELECT ${all} FROM grid_connections
        WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Whether the workspace has this many. Until the transaction ends, no other one creates a connection in it. */
    hasAtLeast: (workspaceId: string, count: number) =>
      Effect.andThen(
        workspaceTable(sql).hold(workspaceId),
        query(sql`SELECT FROM grid_connections WHERE workspace_id = ${workspaceId} LIMIT ${count}`)
      ).pipe(Effect.map((found) => found.length >= count)),
    insert: (row: ConnectionRow) =>
      query(sql`INSERT INTO grid_connections (id, workspace_id, name, vtn_url, token_url, client_id, sealed_secret,
          ven_name, targets, poll_seconds, enabled, notifications, poll_at, failures, created_at, updated_at)
        VALUES (${row.id}, ${row.workspaceId}, ${row.name}, ${row.vtnUrl}, ${row.tokenUrl}, ${row.clientId},
          ${row.sealedSecret}, ${row.venName}, ${row.targets}, ${row.pollSeconds}, ${row.enabled},
          ${row.notifications}, ${row.enabled ? sql`now()` : null}, 0, ${row.createdAt}, ${row.updatedAt})`),
    /** Stores the settings; a poll with the former ones ends, and the VTN is asked again at once, as a new one. */
    update: (row: ConnectionRow) =>
      query(sql`UPDATE grid_connections SET name = ${row.name}, vtn_url = ${row.vtnUrl}, token_url = ${row.tokenUrl},
          client_id = ${row.clientId}, sealed_secret = ${row.sealedSecret}, ven_name = ${row.venName},
          targets = ${row.targets}, poll_seconds = ${row.pollSeconds}, enabled = ${row.enabled},
          notifications = ${row.notifications}, remote_ven_id = ${row.venId}, poll_at = ${row.enabled ? sql`now()` : null},
          claim = NULL, failures = 0, updated_at = ${row.updatedAt}
        WHERE id = ${row.id}`),
    remove: (id: string) => query(sql`DELETE FROM grid_connections WHERE id = ${id}`),
    /**
     * Makes a connection due because its VTN has notified of a change: at once, or some seconds after the last poll began. One that is
     * being polled is polled again afterwards.
     */
    hint: (id: string) =>
      query(sql`UPDATE grid_connections SET hinted_at = clock_timestamp(),
          poll_at = CASE WHEN claim IS NULL THEN least(poll_at, ${afterHint}) ELSE poll_at END
        WHERE id = ${id} AND enabled`),
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(ConnectionRow)(sql`SELECT ${all} FROM grid_connections WHERE id = ANY(${ids}::text[])`),
    /** Records a poll whose claim is still held, and ends its lease. */
    record: ({ claim, id }: RowClaim, { error, isRead, pauseMs, venId }: PollResult, at: Date) =>
      query(sql`UPDATE grid_connections SET
          remote_ven_id = coalesce(${venId}, remote_ven_id), last_error = ${error},
          last_polled_at = CASE WHEN ${isRead}::boolean THEN ${at} ELSE last_polled_at END,
          failing_since = CASE WHEN ${isRead}::boolean THEN NULL ELSE coalesce(failing_since, ${at}) END,
          failures = CASE WHEN ${isRead}::boolean THEN 0 ELSE failures + 1 END,
          poll_at = least(now() + ${pauseMs}::float8 * interval '1 millisecond',
            CASE WHEN hinted_at IS NOT NULL THEN ${afterHint} END),
          claim = NULL
        WHERE id = ${id} AND claim = ${claim}::uuid`),
    /** A connection in any workspace. */
    byId: (id: string) => queryRows(ConnectionRow)(sql`SELECT ${all} FROM grid_connections WHERE id = ${id}`),
    /** Lets no connection wait longer than a time from now, as after a clock was set back. */
    limitWaits: (longestMs: number) =>
      query(sql`UPDATE grid_connections SET poll_at = now()
        WHERE poll_at > now() + ${longestMs}::float8 * interval '1 millisecond'`),
    /** Locks some connections, in any workspace, with a secret that was sealed with another key. */
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      queryRows(ConnectionRow)(sql`SELECT ${all} FROM grid_connections
        WHERE substring(sealed_secret FROM 2 FOR 8) <> ${fingerprint} LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, sealed: Uint8Array) =>
      query(sql`UPDATE grid_connections SET sealed_secret = ${sealed} WHERE id = ${id}`)
  }
})

export class GridConnectionsRepository extends Context.Service<
  GridConnectionsRepository,
  Effect.Success<typeof gridConnections>
>()("@edp/server/grid/GridConnectionsRepository") {
  static readonly layer = Layer.effect(GridConnectionsRepository, gridConnections)
}
