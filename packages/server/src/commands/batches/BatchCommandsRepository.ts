import type { AbortWhen } from "@edp/domain/commands/BatchCommand"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { limited } from "../../platform/sql/lists.ts"
import { BATCHES } from "../commandWork.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { whileAny } from "../../platform/jobs/workWait.ts"
import { query } from "../../platform/sql/transaction.ts"
import { BatchRow, CommandCount } from "./batchRow.ts"
import { IdRow, JsonColumn, queryCount, queryRows } from "../../platform/sql/rows.ts"
import { selectList } from "../../platform/sql/selectList.ts"

/** A batch that is not left to itself: it may abort, or its rest is being cancelled. */
export const WatchedBatch = Schema.Struct({
  id: Schema.String,
  abortWhen: Schema.NullOr(JsonColumn<typeof AbortWhen.Type>()),
  isCancelled: Schema.Boolean,
  completed: Schema.Finite,
  /** Without overridden and cancelled ones. */
  failed: Schema.Finite
})
export type WatchedBatch = typeof WatchedBatch.Type

const columns = selectList(BatchRow)

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

const ProgressRow = Schema.Struct({ ...CommandCount.fields, batchId: Schema.String })
const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })

/** Batches, and the counts of their commands. */
export const BatchCommandsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const batchColumns = sql.literal(columns)
  return {
    insert: (row: BatchRow, total: number) =>
      query(sql`INSERT INTO batch_commands (id, workspace_id, type, input, scheduled_for, expires_at, revert_after,
          max_per_minute, abort_when, retry_of, total, skipped, skipped_total, created_at, watched)
        VALUES (${row.id}, ${row.workspaceId}, ${row.type}, ${json(row.input)}::jsonb, ${row.scheduledFor},
          ${row.expiresAt}, ${row.revertAfter}, ${row.maxPerMinute}, ${json(row.abortWhen)}::jsonb, ${row.retryOf},
          ${total}, ${json(row.skipped)}::jsonb, ${row.skippedTotal}, ${row.createdAt}, ${row.abortWhen !== null})`),
    get: (workspaceId: string, id: string) =>
      queryRows(BatchRow)(
        sql`SELECT ${batchColumns} FROM batch_commands WHERE id = ${id} AND workspace_id = ${workspaceId}`
      ).pipe(Effect.map(([row]) => row)),
    list: (workspaceId: string, limit: number, offset: number) =>
      queryRows(BatchRow)(sql`SELECT ${batchColumns} FROM batch_commands WHERE workspace_id = ${workspaceId}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    count: (workspaceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM batch_commands WHERE workspace_id = ${workspaceId}`),
    /** The commands of each batch by status and reason. */
    progress: (ids: ReadonlyArray<string>) =>
      queryRows(ProgressRow)(sql`SELECT batch_id AS "batchId", status, reason,
          count(*)::int AS n
        FROM commands WHERE batch_id = ANY(${ids}::text[]) GROUP BY batch_id, status, reason`),
    /** The devices whose command failed, except those that were overridden. */
    failedDevices: (id: string) =>
      queryRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM commands
          WHERE batch_id = ${id} AND status = 'failed' AND reason IS DISTINCT FROM 'overridden' ORDER BY id`).pipe(
        Effect.map((rows) => rows.map(({ deviceId }) => deviceId))
      ),
    /** Watches the batch until its rest is cancelled. No row if it was cancelled before. */
    markCancelled: (id: string, at: Date, aborted: boolean) =>
      query(sql`UPDATE batch_commands SET cancelled_at = ${at}, aborted = ${aborted}, watched = true
        WHERE id = ${id} AND cancelled_at IS NULL RETURNING id`).pipe(Effect.map((rows) => rows.length > 0)),
    watched: queryRows(
      WatchedBatch
    )(sql`SELECT b.id, abort_when AS "abortWhen", cancelled_at IS NOT NULL AS "isCancelled",
        (SELECT count(*)::int FROM commands c WHERE c.batch_id = b.id AND c.status = 'completed') AS completed,
        (SELECT count(*)::int FROM commands c WHERE c.batch_id = b.id AND c.status = 'failed'
          AND c.reason NOT IN ('overridden', 'cancelled')) AS failed
      FROM batch_commands b WHERE watched AND ${isReady(sql, BATCHES, "b.id")}`),
    /** 0 while a batch is watched, else Infinity. */
    whileWatched: whileAny(sql, sql`SELECT FROM batch_commands WHERE watched`),
    /** For a transaction: locks commands that can still be cancelled. Those that others have locked are left out. */
    holdRest: (id: string, limit: number) =>
      queryRows(IdRow)(sql`SELECT id FROM commands
          WHERE batch_id = ${id} AND status IN ('pending', 'scheduled') AND NOT in_hand
          ORDER BY id ${limited(sql, limit)} FOR UPDATE SKIP LOCKED`).pipe(
        Effect.map((rows) => rows.map((row) => row.id))
      ),
    /** Ends the watch over batches without undelivered commands. */
    endWatch: (ids: ReadonlyArray<string>) =>
      query(sql`UPDATE batch_commands b SET watched = false WHERE watched AND id = ANY(${ids}::text[]) AND NOT EXISTS (
      SELECT FROM commands c WHERE c.batch_id = b.id AND c.status IN ('pending', 'scheduled'))`)
  }
})
