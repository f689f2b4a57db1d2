import { Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { query } from "../../platform/sql/transaction.ts"
import { objectLimits } from "./objectLimits.ts"

const DAY = 24 * 60 * 60 * 1000

/** Deletes the reports of VENs that have not changed for longer than EDP_OPENADR_REPORT_RETENTION; without it none. */
export const deleteOldReports = Effect.gen(function* () {
  const { openAdrReportRetentionDays } = yield* ServerConfig
  if (Option.isNone(openAdrReportRetentionDays)) return
  const sql = yield* SqlClient.SqlClient
  const deleteSome = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    query(sql`DELETE FROM vtn_reports WHERE id IN (
        SELECT id FROM vtn_reports WHERE modified_at < ${new Date(now - openAdrReportRetentionDays.value * DAY)}
        ORDER BY modified_at LIMIT ${objectLimits.deletedTogether} FOR UPDATE SKIP LOCKED)
      RETURNING 1`)
  )
  yield* Effect.repeat(deleteSome, { while: (deleted) => deleted.length === objectLimits.deletedTogether })
}).pipe(Effect.withSpan("ReportRetention.deleteOld"))
