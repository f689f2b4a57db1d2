import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import { PROGRAM_DAYS } from "../dispatchLimits.ts"
import { ReportedInstance } from "./ProgramReportsRepository.ts"

/** The energy of a block's batteries in a day, with the hash of what it was computed from. */
const KeptDay = Schema.Struct({
  block: Schema.Finite,
  startsAt: Schema.Finite,
  endsAt: Schema.Finite,
  /** As text, because they are 64 bits wide. */
  signature: Schema.String,
  discharged: Schema.String,
  dischargedCovered: Schema.Finite,
  charged: Schema.String,
  chargedCovered: Schema.Finite
})
export type KeptDay = typeof KeptDay.Type

/** Instances whose work is begun by one statement. */
const BEGUN = 1000

/** Reads and writes the kept days of program reports. */
export const ProgramDaysRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const iso = (at: number) => new Date(at).toISOString()
  const instance = sql`i.id, i.workspace_id AS "workspaceId", w.timezone`

  return {
    /** The kept days that begin in a span, also those of other time zones and from earlier batteries. */
    find: (programInstanceId: string, { from, to }: Span) =>
      queryRows(KeptDay)(sql`SELECT block, date_part('epoch', starts_at) * 1000 AS "startsAt",
          date_part('epoch', ends_at) * 1000 AS "endsAt", signature::text AS signature, discharged::text AS discharged,
          discharged_covered::float8 AS "dischargedCovered", charged::text AS charged, charged_covered::float8 AS "chargedCovered"
        FROM program_days
        WHERE program_instance_id = ${programInstanceId} AND starts_at >= ${iso(from)} AND starts_at < ${iso(to)}`),
    keep: (programInstanceId: string, days: ReadonlyArray<KeptDay>) =>
      query(sql`INSERT INTO program_days (program_instance_id, starts_at, ends_at, block, signature, discharged,
          discharged_covered, charged, charged_covered)
        SELECT i.id, to_timestamp("startsAt" / 1000), to_timestamp("endsAt" / 1000), block, signature, discharged,
          "dischargedCovered", charged, "chargedCovered"
        FROM jsonb_to_recordset(${JSON.stringify(days)}::jsonb) AS given (block smallint, "startsAt" float8, "endsAt" float8,
            signature bigint, discharged bigint, "dischargedCovered" bigint, charged bigint, "chargedCovered" bigint)
          JOIN program_instances i ON i.id = ${programInstanceId}
        ORDER BY 2, 3, 4
        ON CONFLICT (program_instance_id, starts_at, ends_at, block) DO UPDATE SET signature = excluded.signature,
          discharged = excluded.discharged, discharged_covered = excluded.discharged_covered, charged = excluded.charged,
          charged_covered = excluded.charged_covered`),
    dropOld: (programInstanceId: string, before: number) =>
      query(
        sql`DELETE FROM program_days WHERE program_instance_id = ${programInstanceId} AND starts_at < ${iso(before)}`
      ),
    /** Makes new instances due. */
    begin: (now: Date) =>
      query(sql`INSERT INTO program_day_work (program_instance_id, due_at)
        SELECT id, ${now} FROM program_instances
        WHERE NOT EXISTS (SELECT FROM program_day_work WHERE program_instance_id = program_instances.id) LIMIT ${BEGUN}
        ON CONFLICT DO NOTHING`),
    /** Claims the instance that is due first, until an instant. */
    claimDue: (now: Date, until: Date) =>
      queryRows(ReportedInstance)(sql`UPDATE program_day_work SET due_at = ${until}
        FROM program_instances i JOIN workspaces w ON w.id = i.workspace_id
        WHERE program_instance_id = (
            SELECT program_instance_id FROM program_day_work
            WHERE due_at <= ${now} AND ${isReady(sql, PROGRAM_DAYS, "program_day_work.program_instance_id")}
            ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
          AND i.id = program_instance_id
        RETURNING ${instance}`).pipe(Effect.map(([row]) => row)),
    /** Sets when a claimed instance is due again. */
    setDue: (programInstanceId: string, dueAt: Date) =>
      query(sql`UPDATE program_day_work SET due_at = ${dueAt} WHERE program_instance_id = ${programInstanceId}`),
    /** Instances that are due later than that are due now. */
    limitWaits: (now: Date, longestMs: number) =>
      query(sql`UPDATE program_day_work SET due_at = ${now}
        WHERE due_at > ${now}::timestamptz + ${longestMs}::float8 * interval '1 millisecond'`)
  }
})
