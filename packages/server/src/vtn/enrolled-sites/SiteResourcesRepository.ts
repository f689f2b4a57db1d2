import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { isReady } from "../../platform/jobs/isolation.ts"
import { untilDatabaseTime } from "../../platform/jobs/workWait.ts"
import { JsonColumn, queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import type { ObjectBody } from "../objectBody.ts"
import { siteResourceLimits as limits } from "./siteResourceLimits.ts"

/** The work in which a site, customer or client that fails is put off. */
export const SHOWING = "sites to OpenADR"

const orNull = Schema.NullOr
const text = Schema.String

/** A site, a customer or a client whose sites are to be compared with the resources of VENs. */
export const SiteWork = Schema.Struct({
  id: text,
  kind: Schema.Literals(["site", "customer", "client"]),
  item: text,
  reached: text
})
export type SiteWork = typeof SiteWork.Type

/** A site in the scope of a client, or one that the client has a resource of, or both. */
export const SiteOfClient = Schema.Struct({
  clientId: text,
  siteId: text,
  isInScope: Schema.Boolean,
  resourceId: orNull(text),
  body: orNull(JsonColumn<ObjectBody>()),
  targets: orNull(Schema.Array(text)),
  name: orNull(text),
  streetOne: orNull(text),
  streetTwo: orNull(text),
  city: orNull(text),
  state: orNull(text),
  postalCode: orNull(text),
  latitude: orNull(Schema.Finite),
  longitude: orNull(Schema.Finite),
  tags: orNull(Schema.Array(text))
})
export type SiteOfClient = typeof SiteOfClient.Type

const ClientScope = Schema.Struct({
  customerId: orNull(text),
  programInstanceId: orNull(text),
  enrollmentIds: orNull(Schema.Array(text))
})
type ClientScope = typeof ClientScope.Type

const EnrollmentInScope = Schema.Struct({
  id: text,
  siteId: orNull(text),
  customerId: text,
  /** Null for one that takes part now. */
  activatesAt: orNull(Schema.Date)
})

const HeldVen = Schema.Struct({ id: text, clientId: text })
const ClientName = Schema.Struct({ id: text, name: text })
const VenResourceName = Schema.Struct({ venId: text, name: text })
const IsHeld = Schema.Struct({ isHeld: Schema.Boolean })

/** Work that is noted for later: at a time, or at once where it is null. */
export interface NotedWork {
  readonly kind: SiteWork["kind"]
  readonly item: string
  readonly dueAt: Date | null
}

// Times are the database's, so that work is not done before the time for which it was noted.
/** The enrolled sites in the scopes of clients, beside the resources that the clients have of them. */
export const SiteResourcesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isNotPutOff = isReady(sql, SHOWING, "work.kind || ' ' || work.item")
  const work = sql.literal(`SELECT work.id::text, work.kind, work.item, work.reached FROM vtn_site_work work`)
  const isLive = sql`key.type = 'OPENADR_VEN' AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())`
  const takesPart = sql`enrollment.status = 'approved' AND (enrollment.activates_at IS NULL OR enrollment.activates_at <= now())`

  const dueWork = (workspaceId: string, kinds: ReadonlyArray<SiteWork["kind"]>, limit: number) =>
    queryRows(SiteWork)(sql`${work} WHERE work.workspace_id = ${workspaceId} AND work.kind IN ${sql.in(kinds)}
      AND work.due_at <= now() AND ${isNotPutOff} ORDER BY work.due_at, work.id LIMIT ${limit}`)

  const enrollmentsInScope = (
    workspaceId: string,
    { customerId, enrollmentIds, programInstanceId }: ClientScope
  ): Statement.Fragment => {
    const own = sql`enrollment.workspace_id = ${workspaceId}`
    if (customerId !== null) return sql`${own} AND enrollment.customer_id = ${customerId}`
    if (programInstanceId !== null) return sql`${own} AND enrollment.program_instance_id = ${programInstanceId}`
    return sql`${own} AND enrollment.id = ANY(${enrollmentIds ?? []}::text[])`
  }

  return {
    nextDue: untilDatabaseTime(sql, sql`(SELECT min(due_at) FROM vtn_site_work)`),
    /** A workspace with work that is due. */
    nextWorkspace: queryIds(sql`SELECT work.workspace_id AS id FROM vtn_site_work work
      WHERE work.due_at <= now() AND ${isNotPutOff} ORDER BY work.due_at, work.id LIMIT 1`),
    /** Sites to compare, and walks to go on with: neither keeps the other waiting. */
    due: (workspaceId: string) =>
      Effect.zipWith(
        dueWork(workspaceId, ["site"], limits.sitesTogether),
        dueWork(workspaceId, ["customer", "client"], limits.walksTogether),
        (sites, walks) => [...sites, ...walks]
      ),
    /** Whether no other process is at the work of the workspace. None is then, until the transaction ends. */
    hold: (workspaceId: string) =>
      Effect.map(
        queryRows(IsHeld)(
          sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${`openadr sites ${workspaceId}`}, 0)) AS "isHeld"`
        ),
        ([row]) => row?.isHeld === true
      ),
    /** Those of the rows that are still to be done. */
    remaining: (ids: ReadonlyArray<string>) =>
      queryRows(SiteWork)(sql`${work} WHERE work.id = ANY(${ids}::bigint[]) ORDER BY work.due_at, work.id`),
    settle: (ids: ReadonlyArray<string>) => query(sql`DELETE FROM vtn_site_work WHERE id = ANY(${ids}::bigint[])`),
    moveOn: (id: string, reached: string) =>
      query(sql`UPDATE vtn_site_work SET reached = ${reached} WHERE id = ${id}::bigint`),
    note: (workspaceId: string, noted: ReadonlyArray<NotedWork>) =>
      noted.length === 0
        ? Effect.void
        : query(sql`INSERT INTO vtn_site_work (workspace_id, kind, item, due_at)
            SELECT ${workspaceId}, kind, item, due_at
            FROM unnest(${noted.map(({ kind }) => kind)}::text[], ${noted.map(({ item }) => item)}::text[],
              ${noted.map(({ dueAt }) => dueAt?.toISOString() ?? "-infinity")}::timestamptz[]) AS noted (kind, item, due_at)`),
    /** The sites of a customer after one. */
    sitesOfCustomer: (workspaceId: string, customerId: string, reached: string, limit: number) =>
      queryIds(sql`SELECT site_id AS id FROM customer_sites WHERE customer_id = ${customerId}
        AND workspace_id = ${workspaceId} AND site_id > ${reached} ORDER BY site_id LIMIT ${limit}`),
    /** The scope of a client whose key works. */
    scope: (workspaceId: string, clientId: string) =>
      Effect.map(
        queryRows(ClientScope)(sql`SELECT scope_customer_id AS "customerId",
            scope_program_instance_id AS "programInstanceId", scope_enrollment_ids AS "enrollmentIds"
          FROM api_keys key WHERE key.id = ${clientId} AND key.workspace_id = ${workspaceId} AND ${isLive}`),
        ([row]) => row
      ),
    /** The approved enrollments in a scope after one. */
    enrollments: (workspaceId: string, scope: ClientScope, reached: string, limit: number) =>
      queryRows(EnrollmentInScope)(sql`SELECT enrollment.id, enrollment.site_id AS "siteId",
          enrollment.customer_id AS "customerId",
          CASE WHEN enrollment.activates_at > now() THEN enrollment.activates_at END AS "activatesAt"
        FROM enrollments enrollment WHERE ${enrollmentsInScope(workspaceId, scope)}
          AND enrollment.status = 'approved' AND enrollment.id > ${reached} ORDER BY enrollment.id LIMIT ${limit}`),
    /** Sites that a client has resources of. */
    sitesOfClient: (workspaceId: string, clientId: string, limit: number) =>
      queryIds(sql`SELECT site_id AS id FROM vtn_resources WHERE workspace_id = ${workspaceId}
        AND client_id = ${clientId} AND site_id IS NOT NULL ORDER BY vtn_resources.id LIMIT ${limit}`),
    /**
     * The given sites with each client that has or should have a resource of them. An enrollment without a site stands for all sites of its
     * customer.
     */
    clientsOfSites: (workspaceId: string, siteIds: ReadonlyArray<string>) =>
      queryRows(SiteOfClient)(sql`WITH given AS MATERIALIZED (
          SELECT site_id COLLATE "C" AS site_id FROM unnest(${siteIds}::text[]) AS site_id
        ), enrolled AS MATERIALIZED (
          SELECT given.site_id, enrollment.id, enrollment.customer_id, enrollment.program_instance_id
          FROM given JOIN enrollments enrollment
            ON enrollment.workspace_id = ${workspaceId} AND enrollment.site_id = given.site_id
          WHERE ${takesPart}
          UNION ALL
          SELECT given.site_id, enrollment.id, enrollment.customer_id, enrollment.program_instance_id
          FROM given JOIN customer_sites linked ON linked.site_id = given.site_id
            JOIN enrollments enrollment
              ON enrollment.workspace_id = ${workspaceId} AND enrollment.customer_id = linked.customer_id
          WHERE enrollment.site_id IS NULL AND ${takesPart}
        ), in_scope AS (
          SELECT key.id AS client_id, enrolled.site_id FROM enrolled
            JOIN api_keys key ON key.workspace_id = ${workspaceId} AND key.scope_customer_id = enrolled.customer_id
            WHERE ${isLive}
          UNION
          SELECT key.id, enrolled.site_id FROM enrolled JOIN api_keys key ON key.workspace_id = ${workspaceId}
            AND key.scope_program_instance_id = enrolled.program_instance_id WHERE ${isLive}
          UNION
          SELECT key.id, enrolled.site_id FROM enrolled JOIN api_keys key
            ON key.workspace_id = ${workspaceId} AND key.scope_enrollment_ids @> ARRAY[enrolled.id] WHERE ${isLive}
        ), resource AS (
          SELECT id, client_id, site_id, body, targets FROM vtn_resources
          WHERE site_id = ANY(${siteIds}::text[]) AND workspace_id = ${workspaceId}
        )
        SELECT client_id AS "clientId", site_id AS "siteId", in_scope.client_id IS NOT NULL AND site.id IS NOT NULL AS "isInScope",
          resource.id AS "resourceId", resource.body, resource.targets, site.name, site.street_one AS "streetOne",
          site.street_two AS "streetTwo", site.city, site.state, site.postal_code AS "postalCode", site.latitude,
          site.longitude, site.tags
        FROM in_scope FULL JOIN resource USING (client_id, site_id)
          LEFT JOIN LATERAL (SELECT * FROM sites
            WHERE sites.id = coalesce(in_scope.site_id, resource.site_id) AND sites.workspace_id = ${workspaceId}
            OFFSET 0) AS site ON true
        ORDER BY site_id, client_id`),
    /** The vens of clients, which stay theirs while the transaction adds to them. */
    holdVens: (workspaceId: string, clientIds: ReadonlyArray<string>) =>
      queryRows(HeldVen)(sql`SELECT id, client_id AS "clientId" FROM vtn_vens
        WHERE workspace_id = ${workspaceId} AND client_id = ANY(${clientIds}::text[]) ORDER BY id FOR SHARE`),
    clientNames: (workspaceId: string, clientIds: ReadonlyArray<string>) =>
      queryRows(ClientName)(sql`SELECT id, name FROM api_keys
        WHERE id = ANY(${clientIds}::text[]) AND workspace_id = ${workspaceId} ORDER BY id`),
    /** Those of the names that resources of the vens have. */
    takenNames: (given: ReadonlyArray<typeof VenResourceName.Type>) =>
      queryRows(VenResourceName)(sql`SELECT ven_id AS "venId", resource_name AS name FROM vtn_resources
        WHERE (ven_id, resource_name) IN (SELECT ven, name FROM unnest(${given.map(({ venId }) => venId)}::text[],
          ${given.map(({ name }) => name)}::text[]) AS given (ven, name))`)
  }
})
