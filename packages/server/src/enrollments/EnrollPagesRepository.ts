import type { Enrollment } from "@edp/domain/enrollments/Enrollment"
import type { Address } from "@edp/domain/shared/Address"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"

/** An enrollment that was begun on the hosted page. */
export interface VisitedEnrollment {
  readonly id: string
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly customerId: string
  readonly status: Enrollment["status"]
  readonly statusReason: string | null
  readonly address: Address | null
  readonly hasAccepted: boolean
  readonly activatesAt: Date | null
  /** The connect session that the page leads into. */
  readonly sessionId: string | null
  readonly createdAt: Date
}

/** The look of a workspace. */
export interface WorkspaceLook {
  readonly name: string
  readonly logoUrl: string | null
  readonly accentColor: string | null
}

/** The devices at the homes of an enrollment: those that its customer has connected, and any other ones. */
export interface HomeDevices {
  readonly own: number
  readonly others: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`id, workspace_id AS "workspaceId", program_instance_id AS "programInstanceId",
    customer_id AS "customerId", status, status_reason AS "statusReason", address,
    accepted_terms IS NOT NULL AS "hasAccepted", activates_at AS "activatesAt", page_session_id AS "sessionId",
    created_at AS "createdAt"`)
  const first = <A>(rows: ReadonlyArray<A>) => rows[0]

  return {
    look: (workspaceId: string) =>
      query(sql<WorkspaceLook>`SELECT name, logo_url AS "logoUrl", accent_color AS "accentColor" FROM workspaces
        WHERE id = ${workspaceId}`).pipe(Effect.map(first)),
    byToken: (programInstanceId: string, tokenHash: Uint8Array) =>
      query(sql<VisitedEnrollment>`SELECT ${columns} FROM enrollments
        WHERE page_token_hash = ${tokenHash} AND program_instance_id = ${programInstanceId}`).pipe(Effect.map(first)),
    /** Locks the enrollment until the transaction ends. */
    lock: (id: string) =>
      query(sql<VisitedEnrollment>`SELECT ${columns} FROM enrollments WHERE id = ${id} FOR NO KEY UPDATE`).pipe(
        Effect.map(first)
      ),
    /** Lets one submission with an e-mail address at a time into an instance, until the transaction ends. */
    holdEmail: (programInstanceId: string, email: string) =>
      query(
        sql`SELECT pg_advisory_xact_lock(hashtextextended(${`enroll ${programInstanceId} ${email.toLowerCase()}`}, 0))`
      ),
    /** Whether a customer with the e-mail address has an enrollment in the instance that has not ended. */
    isEnrolled: (workspaceId: string, programInstanceId: string, email: string) =>
      query(sql`SELECT FROM customers JOIN enrollments ON enrollments.customer_id = customers.id
        WHERE customers.workspace_id = ${workspaceId} AND lower(email) = lower(${email})
          AND enrollments.program_instance_id = ${programInstanceId}
          AND enrollments.status NOT IN ('rejected', 'ineligible', 'unenrolled') LIMIT 1`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    setToken: (id: string, tokenHash: Uint8Array) =>
      query(sql`UPDATE enrollments SET page_token_hash = ${tokenHash} WHERE id = ${id}`),
    setSession: (id: string, sessionId: string) =>
      query(sql`UPDATE enrollments SET page_session_id = ${sessionId} WHERE id = ${id}`),
    homeDevices: (workspaceId: string, customerId: string) =>
      query(sql<HomeDevices>`SELECT count(*) FILTER (WHERE devices.customer_id = ${customerId})::int AS own,
          count(*) FILTER (WHERE devices.customer_id IS DISTINCT FROM ${customerId})::int AS others
        FROM customer_sites JOIN devices ON devices.site_id = customer_sites.site_id
        WHERE customer_sites.customer_id = ${customerId} AND devices.workspace_id = ${workspaceId}
          AND devices.disconnected_at IS NULL`).pipe(Effect.map((rows) => rows[0]!))
  }
})

/** Enrollments that people began on the hosted pages, found by the tokens of their links. */
export class EnrollPagesRepository extends Context.Service<EnrollPagesRepository, Effect.Success<typeof make>>()(
  "@edp/server/EnrollPagesRepository"
) {
  static readonly layer = Layer.effect(EnrollPagesRepository, make)
}
