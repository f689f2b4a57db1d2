import { Enrollment } from "@edp/domain/enrollments/Enrollment"
import type { Address } from "@edp/domain/shared/Address"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"
import { selectList } from "../../platform/sql/selectList.ts"

/** An enrollment that was begun on the hosted page. */
export const VisitedEnrollment = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  customerId: Schema.String,
  status: Enrollment.fields.status,
  statusReason: Schema.NullOr(Schema.String),
  address: Schema.NullOr(JsonColumn<Address>()),
  hasAccepted: Schema.Boolean,
  activatesAt: Schema.NullOr(Schema.Date),
  /** The connect session that the page leads into. */
  sessionId: Schema.NullOr(Schema.String),
  createdAt: Schema.Date
})
export type VisitedEnrollment = typeof VisitedEnrollment.Type

/** The look of a workspace. */
export const WorkspaceLook = Schema.Struct({
  name: Schema.String,
  logoUrl: Schema.NullOr(Schema.String),
  accentColor: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String)
})
export type WorkspaceLook = typeof WorkspaceLook.Type

/** The devices at the sites of an enrollment: those that its customer has connected, and any other ones. */
export const SiteDevices = Schema.Struct({ own: Schema.Finite, others: Schema.Finite })
export type SiteDevices = typeof SiteDevices.Type

/** Enrollments that applicants began on the hosted pages, found by the tokens of their links. */
export const EnrollPagesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    selectList(VisitedEnrollment, { hasAccepted: "accepted_terms IS NOT NULL", sessionId: "page_session_id" })
  )
  const first = <A>(rows: ReadonlyArray<A>) => rows[0]

  return {
    look: (workspaceId: string) =>
      queryRows(WorkspaceLook)(sql`SELECT name, logo_url AS "logoUrl", accent_color AS "accentColor",
          contact_email AS email, contact_phone AS phone, contact_url AS url FROM workspaces
        WHERE id = ${workspaceId}`).pipe(Effect.map(first)),
    byToken: (programInstanceId: string, tokenHash: Uint8Array) =>
      queryRows(VisitedEnrollment)(sql`SELECT ${columns} FROM enrollments
        WHERE page_token_hash = ${tokenHash} AND program_instance_id = ${programInstanceId}`).pipe(Effect.map(first)),
    /** Locks the enrollment until the transaction ends. */
    lock: (id: string) =>
      queryRows(VisitedEnrollment)(sql`SELECT ${columns} FROM enrollments WHERE id = ${id} FOR NO KEY UPDATE`).pipe(
        Effect.map(first)
      ),
    /** Lets one submission of a form at a time into an instance, until the transaction ends. */
    holdForm: (tokenHash: Uint8Array) =>
      query(
        sql`SELECT pg_advisory_xact_lock(hashtextextended(${`enroll ${Buffer.from(tokenHash).toString("hex")}`}, 0))`
      ),
    setToken: (id: string, tokenHash: Uint8Array) =>
      query(sql`UPDATE enrollments SET page_token_hash = ${tokenHash} WHERE id = ${id}`),
    setSession: (id: string, sessionId: string) =>
      query(sql`UPDATE enrollments SET page_session_id = ${sessionId} WHERE id = ${id}`),
    siteDevices: (workspaceId: string, customerId: string) =>
      queryRows(SiteDevices)(sql`SELECT count(*) FILTER (WHERE devices.customer_id = ${customerId})::int AS own,
          count(*) FILTER (WHERE devices.customer_id IS DISTINCT FROM ${customerId})::int AS others
        FROM customer_sites JOIN devices ON devices.site_id = customer_sites.site_id
        WHERE customer_sites.customer_id = ${customerId} AND devices.workspace_id = ${workspaceId}
          AND devices.disconnected_at IS NULL`).pipe(Effect.map((rows) => rows[0]!))
  }
})
