import type { EnrollmentFilters } from "@edp/domain/enrollments/Enrollment"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { conditions, limited } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { whileAny } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { EnrollmentRow, type NewEnrollment, enrollmentColumns } from "./enrollmentRow.ts"
import { IdRow, queryCount, queryRows } from "../platform/sql/rows.ts"

export type Filters = Omit<Schema.Struct.Type<typeof EnrollmentFilters>, "page" | "perPage">

/** The fields that a transition changes. */
export type Transition = Pick<EnrollmentRow, "id" | "status" | "statusReason"> &
  Partial<
    Pick<EnrollmentRow, "acceptedTerms" | "activatesAt" | "submittedAt" | "approvedAt" | "rejectedAt" | "unenrolledAt">
  >

/** A walk over the candidates that wait for a device. */
export interface WaitingWalk {
  /** Those whose site has a device. */
  readonly ids: ReadonlyArray<string>
  /** The last candidate that was looked at; null at the end of the walk. */
  readonly last: string | null
}

/** This many enrollments are collected and sorted in a few milliseconds. */
const FEW = 5_000

const insertedColumns = `id, workspace_id, program_instance_id, identification_type, customer_id, site_id, lead_id, status,
  status_reason, manufacturer_slugs, serial_number, reference_id, reference_description, tags, metadata, address,
  accepted_terms, submits, activates_at, submitted_at, approved_at, rejected_at, unenrolled_at, created_at, updated_at`

const toColumns = (row: NewEnrollment) => ({
  id: row.id,
  workspace_id: row.workspaceId,
  program_instance_id: row.programInstanceId,
  identification_type: row.identificationType,
  customer_id: row.customerId,
  site_id: row.siteId,
  lead_id: row.leadId,
  status: row.status,
  status_reason: row.statusReason,
  manufacturer_slugs: row.manufacturerSlugs,
  serial_number: row.serialNumber,
  reference_id: row.referenceId,
  reference_description: row.referenceDescription,
  tags: row.tags,
  metadata: row.metadata,
  address: row.address,
  accepted_terms: row.acceptedTerms,
  submits: row.submits,
  activates_at: row.activatesAt,
  submitted_at: row.submittedAt,
  approved_at: row.approvedAt,
  rejected_at: row.rejectedAt,
  unenrolled_at: row.unenrolledAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt
})

/** The work, as its failing enrollments are stored under. */
export const JUDGING = "judging of enrollments"

const IdIsReadyRow = Schema.Struct({ id: Schema.String, isReady: Schema.Boolean })

export const EnrollmentsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(enrollmentColumns)

  const matching = (workspaceId: string, instanceId: string, filters: Filters) =>
    sql.and([
      ...is("program_instance_id", instanceId),
      // The indexes of customers and sites begin with the workspace. Without it, an index alone counts the others.
      ...(filters.customerId === undefined && filters.siteId === undefined ? [] : is("workspace_id", workspaceId)),
      ...isAnyOf("status", filters.status),
      ...isAnyOf("customer_id", filters.customerId),
      ...isAnyOf("site_id", filters.siteId),
      // The index holds digests, because a reference may be longer than an index entry.
      ...(filters.referenceId === undefined
        ? []
        : [
            sql`md5(reference_id) = ANY(ARRAY(SELECT md5(given) FROM unnest(${filters.referenceId}::text[]) AS given))`,
            sql`reference_id = ANY(${filters.referenceId}::text[])`
          ]),
      ...(filters.tag === undefined ? [] : [sql`tags && ${filters.tag}::text[]`])
    ])

  /**
   * Several values, and tags, come from their index in no order, and the planner would rather walk all enrollments by id until
   * enough of them match. It can't walk in the order of an expression, so it gathers the few and sorts. The index of a status
   * alone is in order.
   */
  const order = (filters: Filters, matches: number) => {
    const given = Object.values(filters).filter((values) => values !== undefined)
    const isInOrder = given.length === 0 || (given.length === 1 && filters.status?.length === 1)
    return !isInOrder && matches <= FEW ? sql`id || '' DESC` : sql`id DESC`
  }

  return {
    page: (instanceId: string, limit: number, offset: number) =>
      queryRows(EnrollmentRow)(sql`SELECT ${columns} FROM enrollments WHERE program_instance_id = ${instanceId}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    list: (workspaceId: string, instanceId: string, filters: Filters, matches: number, limit: number, offset: number) =>
      queryRows(EnrollmentRow)(
        sql`SELECT ${columns} FROM enrollments WHERE ${matching(workspaceId, instanceId, filters)}
          ORDER BY ${order(filters, matches)} LIMIT ${limit} OFFSET ${offset}`.unprepared
      ),
    count: (workspaceId: string, instanceId: string, filters: Filters) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM enrollments
          WHERE ${matching(workspaceId, instanceId, filters)}`.unprepared
      ),
    get: (workspaceId: string, id: string) =>
      queryRows(EnrollmentRow)(sql`SELECT ${columns} FROM enrollments
        WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row)),
    /** Locks the enrollment until the transaction ends, so that its transitions run one after another. */
    lock: (workspaceId: string, id: string) =>
      queryRows(EnrollmentRow)(sql`SELECT ${columns} FROM enrollments
        WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`).pipe(Effect.map(([row]) => row)),
    /** The customers who have a live enrollment in the instance. */
    enrolled: (
      instanceId: string,
      customerIds: ReadonlyArray<string>
    ): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> =>
      customerIds.length === 0
        ? Effect.succeed(new Set())
        : queryRows(IdRow)(sql`SELECT customer_id AS id FROM enrollments
            WHERE program_instance_id = ${instanceId} AND customer_id = ANY(${customerIds}::text[])
              AND status NOT IN ('rejected', 'ineligible', 'unenrolled')`).pipe(
            Effect.map((rows) => new Set(rows.map(({ id }) => id)))
          ),
    insert: (rows: ReadonlyArray<NewEnrollment>) =>
      query(sql`INSERT INTO enrollments (${sql.literal(insertedColumns)})
        SELECT ${sql.literal(insertedColumns)} FROM json_populate_recordset(NULL::enrollments,
          ${JSON.stringify(rows.map(toColumns))}::json)`),
    /** Applies transitions to enrollments that the transaction has locked. */
    move: (transitions: ReadonlyArray<Transition>, now: Date) =>
      queryRows(EnrollmentRow)(sql`UPDATE enrollments SET status = given.status, status_reason = given."statusReason",
          accepted_terms = coalesce(given."acceptedTerms", accepted_terms),
          activates_at = coalesce(given."activatesAt", activates_at),
          submitted_at = coalesce(given."submittedAt", submitted_at),
          approved_at = coalesce(given."approvedAt", approved_at),
          rejected_at = coalesce(given."rejectedAt", rejected_at),
          unenrolled_at = coalesce(given."unenrolledAt", unenrolled_at), updated_at = ${now}
        FROM json_to_recordset(${JSON.stringify(transitions)}::json) AS given (id text, status text, "statusReason" text,
          "acceptedTerms" json, "activatesAt" timestamptz, "submittedAt" timestamptz, "approvedAt" timestamptz,
          "rejectedAt" timestamptz, "unenrolledAt" timestamptz)
        WHERE enrollments.id = given.id RETURNING ${columns}`),
    remove: (id: string) => query(sql`DELETE FROM enrollments WHERE id = ${id}`),
    /** 0 while candidates are to be submitted by themselves, else Infinity. */
    whileWaiting: whileAny(sql, sql`SELECT FROM enrollments WHERE status = 'candidate' AND submits`),
    /** Judges the next candidates that are submitted as soon as they are eligible. */
    waiting: (after: string, limit: number): Effect.Effect<WaitingWalk, DatabaseUnavailable> =>
      queryRows(IdIsReadyRow)(sql`WITH walked AS MATERIALIZED (
          SELECT id, workspace_id, program_instance_id, customer_id, site_id FROM enrollments
          WHERE status = 'candidate' AND submits AND id > ${after} AND ${isReady(sql, JUDGING, "enrollments.id")} ORDER BY id ${limited(sql, limit)}
        ), judged AS (
          SELECT walked.*, instances.status = 'ACTIVE' AND programs.active AS open,
            coalesce(programs.eligibility::text, '{}') <> '{}' AS "needsDevice"
          FROM walked JOIN program_instances instances ON instances.id = walked.program_instance_id
            JOIN programs ON programs.id = instances.program_id
        )
        SELECT id, open AND EXISTS (
            SELECT FROM (
              SELECT site_id WHERE site_id IS NOT NULL
              UNION ALL
              SELECT linked.site_id FROM customer_sites linked
                WHERE judged.site_id IS NULL AND linked.customer_id = judged.customer_id
            ) AS site
            WHERE NOT "needsDevice" OR EXISTS (
              SELECT FROM devices WHERE devices.site_id = site.site_id AND devices.workspace_id = judged.workspace_id
                AND disconnected_at IS NULL)
          ) AS "isReady"
        FROM judged ORDER BY id`).pipe(
        Effect.map((rows) => ({
          ids: rows.filter(({ isReady }) => isReady).map(({ id }) => id),
          last: rows.length < limit ? null : rows.at(-1)!.id
        }))
      ),
    /** Locks the enrollments among the ids that are still waiting and that no other transaction has locked. */
    claim: (ids: ReadonlyArray<string>) =>
      queryRows(EnrollmentRow)(sql`SELECT ${columns} FROM enrollments WHERE id = ANY(${ids}::text[])
        AND status = 'candidate' AND submits ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`)
  }
})
