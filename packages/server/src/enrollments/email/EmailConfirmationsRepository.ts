import type { Language } from "@edp/domain/shared/Language"
import { languages } from "@edp/domain/shared/Language"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { untilDatabaseTime } from "../../platform/jobs/workWait.ts"
import { query } from "../../platform/sql/transaction.ts"
import { mailLimits } from "./mailLimits.ts"
import { queryRows } from "../../platform/sql/rows.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"

/** A mail that is due, and what it is about. */
export const DueMail = Schema.Struct({
  enrollmentId: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  customerId: Schema.String,
  email: Schema.String,
  language: Schema.Literals(languages),
  /** Counted from the request of the mail, with this one. */
  attempts: Schema.Finite,
  mails: Schema.Finite,
  title: Schema.String,
  pageSlug: Schema.String,
  workspaceName: Schema.String
})
export type DueMail = typeof DueMail.Type

/** The enrollment of a link in a mail. */
export const LinkedEnrollment = Schema.Struct({
  enrollmentId: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  customerId: Schema.String,
  email: Schema.String,
  isExpired: Schema.Boolean
})
export type LinkedEnrollment = typeof LinkedEnrollment.Type

/** The address of an enrollment that was begun while mails could be sent. */
export const EmailState = Schema.Struct({ email: Schema.String, isConfirmed: Schema.Boolean })
export type EmailState = typeof EmailState.Type

/** The e-mail addresses that applicants typed on the hosted pages, and the mails with links that confirm them. */
export const EmailConfirmationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const first = <A>(rows: ReadonlyArray<A>) => rows[0]
  const link = sql.literal(`SELECT emails.enrollment_id AS "enrollmentId", emails.workspace_id AS "workspaceId",
      program_instance_id AS "programInstanceId", customer_id AS "customerId", emails.email,
      token_expires_at < now() AS "isExpired"
    FROM enrollment_emails emails JOIN enrollments ON enrollments.id = emails.enrollment_id`)

  return {
    /** Sends no mail where the address got `limit` of them within the last hour, in any workspace. */
    insert: (
      enrollment: {
        readonly id: string
        readonly workspaceId: string
        readonly email: string
        readonly language: Language
      },
      limit: number
    ) =>
      query(sql`INSERT INTO enrollment_emails (enrollment_id, workspace_id, email, language, requested_at, due_at)
        SELECT ${enrollment.id}, ${enrollment.workspaceId}, ${enrollment.email}, ${enrollment.language}, now(),
          CASE WHEN count(*) < ${limit} THEN now() END
        FROM (SELECT FROM enrollment_emails WHERE lower(email) = lower(${enrollment.email})
          AND requested_at > now() - interval '1 hour' LIMIT ${limit}) AS recent`),
    /** Asks for another mail, unless the last one was asked for within a minute or there were `limit` of them. */
    ask: (enrollmentId: string, limit: number) =>
      query(sql`UPDATE enrollment_emails SET due_at = now(), attempts = 0, mails = mails + 1, requested_at = now()
        WHERE enrollment_id = ${enrollmentId} AND confirmed_at IS NULL AND mails < ${limit}
          AND requested_at < now() - interval '1 minute'`),
    state: (enrollmentId: string) =>
      queryRows(EmailState)(sql`SELECT email, confirmed_at IS NOT NULL AS "isConfirmed" FROM enrollment_emails
        WHERE enrollment_id = ${enrollmentId}`).pipe(Effect.map(first)),
    /** Milliseconds until a mail is due. */
    nextDue: untilDatabaseTime(sql, sql`(SELECT min(due_at) FROM enrollment_emails WHERE due_at IS NOT NULL)`),
    /** Takes due mails; each is due again after the lease, unless it is settled before. */
    claim: (limit: number) =>
      queryRows(DueMail)(sql`WITH due AS (
          UPDATE enrollment_emails SET due_at = now() + ${mailLimits.leaseSeconds}::float8 * interval '1 second', attempts = attempts + 1
          WHERE enrollment_id IN (SELECT enrollment_id FROM enrollment_emails
            WHERE due_at <= now() AND workspace_id NOT IN (${pausedWorkspaces(sql)})
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING enrollment_id, workspace_id, email, language, attempts, mails
        )
        SELECT due.enrollment_id AS "enrollmentId", due.workspace_id AS "workspaceId", due.email, due.language,
          due.attempts, due.mails, enrollments.program_instance_id AS "programInstanceId",
          enrollments.customer_id AS "customerId", instances.title, instances.page_slug AS "pageSlug", workspaces.name AS "workspaceName"
        FROM due JOIN enrollments ON enrollments.id = due.enrollment_id
          JOIN program_instances instances ON instances.id = enrollments.program_instance_id
          JOIN workspaces ON workspaces.id = due.workspace_id`),
    /** Stores the link of a mail that is about to be sent; the links of former mails end. */
    setLink: (enrollmentId: string, tokenHash: Uint8Array, days: number) =>
      query(sql`UPDATE enrollment_emails SET token_hash = ${tokenHash},
          token_expires_at = now() + ${days} * interval '1 day'
        WHERE enrollment_id = ${enrollmentId} AND confirmed_at IS NULL`),
    /** Ends the attempts at a mail, or plans the next one; not if another mail was asked for. */
    settle: ({ enrollmentId, mails }: Pick<DueMail, "enrollmentId" | "mails">, pauseMs: number | undefined) =>
      query(sql`UPDATE enrollment_emails
        SET due_at = ${pauseMs === undefined ? null : sql`now() + ${pauseMs} * interval '1 millisecond'`}
        WHERE enrollment_id = ${enrollmentId} AND mails = ${mails}`),
    byLink: (tokenHash: Uint8Array) =>
      queryRows(LinkedEnrollment)(sql`${link} WHERE token_hash = ${tokenHash}`).pipe(Effect.map(first)),
    /** The same; the link is locked until the transaction ends. */
    lockLink: (tokenHash: Uint8Array) =>
      queryRows(LinkedEnrollment)(sql`${link} WHERE token_hash = ${tokenHash} FOR UPDATE OF emails`).pipe(
        Effect.map(first)
      ),
    /** The link is used: it and all mails of the enrollment end. */
    end: (enrollmentId: string, isConfirmed: boolean) =>
      query(sql`UPDATE enrollment_emails SET token_hash = NULL, due_at = NULL,
          confirmed_at = ${isConfirmed ? sql`now()` : null}
        WHERE enrollment_id = ${enrollmentId}`),
    /** Lets no mail wait longer than a time from now, as after a clock was set back. */
    limitWaits: (longestMs: number) =>
      query(sql`UPDATE enrollment_emails SET due_at = now()
        WHERE due_at > now() + ${longestMs} * interval '1 millisecond'`)
  }
})
