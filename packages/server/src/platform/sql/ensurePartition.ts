import type { SqlClient } from "effect/sql"

/**
 * Makes a partition that is missing. The lock is taken first, also where another instance has just made it: sessions hear of
 * a new partition a moment after others can see it, but before its maker lets go of the lock, and one that has not heard of
 * it finds no place for its rows.
 */
export const ensurePartition = (sql: SqlClient.SqlClient, of: "readings" | "events", day: string) => sql`
  WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(${`${of} partitions`}, 0)))
  SELECT ${sql.literal(`ensure_${of}_partition`)}(${day}::date) FROM held`
