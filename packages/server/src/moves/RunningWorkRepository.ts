import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mailLimits } from "../enrollments/email/mailLimits.ts"
import { queryCount } from "../platform/sql/rows.ts"

/** Work outside the service that runs for a workspace. */
export const RunningWorkRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /**
     * The number of jobs that run. Rows are locked, so that a job which was claimed before the pause and is not committed yet counts. A mail
     * that failed counts until its next attempt: it looks like one that is being sent.
     */
    count: (workspaceId: string) =>
      queryCount(sql`WITH calls AS MATERIALIZED (
          SELECT claim, due_at FROM account_work WHERE account_id IN (SELECT id FROM accounts WHERE workspace_id = ${workspaceId})
          ORDER BY account_id FOR SHARE
        ), commanded AS MATERIALIZED (
          SELECT claim, lease_until FROM device_work WHERE device_id IN (SELECT id FROM devices WHERE workspace_id = ${workspaceId})
          ORDER BY device_id FOR SHARE
        ), deliveries AS MATERIALIZED (
          SELECT claim, due_at FROM delivery_lanes WHERE destination_id IN (SELECT id FROM destinations WHERE workspace_id = ${workspaceId})
          ORDER BY destination_id, lane FOR SHARE
        ), mails AS MATERIALIZED (
          SELECT due_at FROM enrollment_emails WHERE workspace_id = ${workspaceId} AND attempts > 0 AND due_at IS NOT NULL
          ORDER BY enrollment_id FOR SHARE
        )
        SELECT (SELECT count(*) FROM calls WHERE claim IS NOT NULL AND due_at > clock_timestamp())::int
          + (SELECT count(*) FROM commanded WHERE claim IS NOT NULL AND lease_until > clock_timestamp())::int
          + (SELECT count(*) FROM deliveries WHERE claim IS NOT NULL AND due_at > clock_timestamp())::int
          + (SELECT count(*) FROM mails WHERE due_at > clock_timestamp()
              AND due_at <= clock_timestamp() + ${mailLimits.leaseSeconds}::float8 * interval '1 second')::int AS n`)
  }
})
