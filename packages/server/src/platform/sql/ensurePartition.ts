import type { SqlClient } from "effect/sql"

/**
 * Creates a missing partition. The lock is taken first, also if another instance has just created it: a session may not know a
 * new partition for a moment after its commit, but knows it when the lock is released, and without it an insert fails.
 */
export const ensurePartition = (sql: SqlClient.SqlClient, of: "readings" | "events", day: string) => sql`
  WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(${`${of} partitions`}, 0)))
  SELECT ${sql.literal(`ensure_${of}_partition`)}(${day}::date) FROM held`
