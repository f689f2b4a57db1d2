import type { SqlClient } from "effect/sql"

/**
 * The rule of `toOnlineStatus` in SQL, on devices `d`, their current states `s` and their manufacturers `m`: a disconnected device is offline, and
 * so is one that its source could not reach since its newest reading; otherwise the time of that reading decides.
 */
export const reachabilitySql = (sql: SqlClient.SqlClient) => {
  /** Null without a state. */
  const isAsleep = sql.literal("(s.reported_status = 'asleep' AND d.disconnected_at IS NULL)")
  const isNotAsleep = sql.literal("(s.reported_status IS DISTINCT FROM 'asleep' OR d.disconnected_at IS NOT NULL)")
  /** Null without a state. One comparison, which the planner estimates as it does that of the time alone. */
  const isRecent = (now: Date) => sql`s.at >= CASE
    WHEN d.disconnected_at IS NULL AND s.reported_status IS DISTINCT FROM 'unreachable' THEN ${now}::timestamptz - m.online_window
    ELSE 'infinity' END`
  return { isAsleep, isNotAsleep, isRecent }
}
