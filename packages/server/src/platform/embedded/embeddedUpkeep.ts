import { Effect, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Write-ahead log beyond this many bytes is work for the next start after a crash, and disk. */
const checkpointAfter = 64 * 1024 * 1024

/** A vacuum long before transaction ids run out, at two thousand million. */
const freezeAtAge = 100_000_000

/**
 * Does for PGlite what PostgreSQL's checkpointer and autovacuum processes do, with their default thresholds: PGlite has
 * neither, so that its log and its tables would grow without end and its statistics would never be made.
 */
export const upkeep = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  tidy(sql).pipe(
    Effect.catchCause((cause) => Effect.logWarning("The embedded database's upkeep failed", cause)),
    Effect.schedule(Schedule.spaced("30 seconds")),
    Effect.asVoid
  )

export const tidy = Effect.fn("EmbeddedDatabase.tidy")(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError> {
  for (const { command } of yield* dueVacuums(sql)) yield* sql.unsafe(command)
  const [log] = yield* sql<{ due: boolean }>`
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${checkpointAfter} AS due FROM pg_control_checkpoint()`
  if (log?.due) yield* sql`CHECKPOINT`
})

const dueVacuums = (sql: SqlClient.SqlClient) => sql<{ command: string }>`
  SELECT CASE
    WHEN age(relfrozenxid) > ${freezeAtAge} THEN 'VACUUM (FREEZE, ANALYZE) '
    WHEN n_dead_tup > 50 + 0.2 * n_live_tup OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup THEN 'VACUUM (ANALYZE) '
    ELSE 'ANALYZE '
  END || c.oid::regclass AS command
  FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relkind = 'r' AND (
    age(relfrozenxid) > ${freezeAtAge}
    OR n_dead_tup > 50 + 0.2 * n_live_tup
    OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
    OR n_mod_since_analyze > 50 + 0.1 * n_live_tup)
  ORDER BY n_dead_tup DESC`
