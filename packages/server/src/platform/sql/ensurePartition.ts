import type { SqlClient } from "effect/sql"

/**
 * Creates a missing partition. It takes the lock even if another instance has just created the partition: other sessions may not see
 * a new partition right after the commit, but they do once the lock is released. Inserts without the partition fail.
 */
export const ensurePartition = (sql: SqlClient.SqlClient, table: string, day: string) => sql`
  WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(${`${table} partitions`}, 0)))
  SELECT ${sql.literal(`ensure_${table}_partition`)}(${day}::date) FROM held`
