import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, type Query, queryText } from "../metrics/arrangeMetrics.ts"

/** The fields of an enrollment that a test sets. */
export interface GivenEnrollment {
  readonly customerId?: string
  readonly siteId?: string | null
  readonly status?: string
  readonly manufacturerSlugs?: ReadonlyArray<string> | null
  readonly approvedAt?: string | null
  readonly activatesAt?: string | null
  readonly unenrolledAt?: string | null
}

/** The fields of a dispatch that a test sets, with its devices. */
export interface GivenDispatch {
  readonly startsAt: string
  readonly endsAt: string
  readonly test?: boolean
  readonly status?: string
  readonly updatedAt?: string
  readonly sites?: ReadonlyArray<{
    readonly siteId: string
    readonly startsAt?: string | null
    readonly optedOutAt?: string | null
    readonly heldOut?: boolean
  }>
  readonly devices?: ReadonlyArray<{
    readonly deviceId: string
    readonly siteId: string
    readonly unresponsive?: boolean
    readonly isCommanded?: boolean
  }>
}

/** A workspace with a program instance, and the ways to enroll sites and to ask for the instance's report. */
export const arrangeReports = async (app: TestApp, timezone = "UTC") => {
  const arranged = await arrangeMetrics(app)
  const { get, organizationId, workspaceId } = arranged
  const nextId = () => app.run(Effect.flatMap(Ids, (ids) => ids.next))
  const [programId, instanceId] = [await nextId(), await nextId()]
  await app.sql((sql) => sql`UPDATE workspaces SET timezone = ${timezone} WHERE id = ${workspaceId}`)
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO programs (id, slug, name, description, states, active, visibility, organization_id, created_at, updated_at)
      VALUES (${programId}, ${`program-${programId}`}, 'Summer', '', '{}', true, 'PRIVATE', ${organizationId}, now(), now())`
  )
  await app.sql(
    (sql) => sql`INSERT INTO program_instances (id, workspace_id, program_id, slug, page_slug, title, description,
        eligibility_criteria, program_terms, terms_version, enrollment_periods, status, created_at, updated_at)
      VALUES (${instanceId}, ${workspaceId}, ${programId}, 'summer', ${`summer-${instanceId}`}, 'Summer', '', '', '', 1, '[]', 'ACTIVE', now(), now())`
  )
  const path = (query: Query = {}) => `/v1/programInstances/${instanceId}/report?${queryText(query)}`

  const dispatch = async (given: GivenDispatch) => {
    const { devices = [], endsAt, sites = [], startsAt } = given
    const id = await nextId()
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals, priority,
          randomize_start_seconds, voluntary, test, baseline, status, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${instanceId}, 'Evening', ${startsAt}, ${endsAt}, '[]', 1, 0, true,
          ${given.test ?? false}, '{}', ${given.status ?? "completed"}, ${startsAt}, ${given.updatedAt ?? endsAt})`
    )
    for (const site of sites) {
      const starts = site.startsAt === undefined ? startsAt : site.startsAt
      await app.sql(
        (
          sql
        ) => sql`INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, starts_at,
            opted_out_at, reasons, updated_at)
          VALUES (${id}, ${site.siteId}, 'customer', 'enrollment', 'done', ${site.heldOut ?? false}, ${starts}, ${site.optedOutAt ?? null},
            '[]', ${endsAt})`
      )
    }
    for (const { deviceId, isCommanded = true, siteId, unresponsive = false } of devices) {
      await app.sql(
        (
          sql
        ) => sql`INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase, interval_index, unresponsive)
          VALUES (${id}, ${deviceId}, ${siteId}, 'battery', 'ended', ${isCommanded ? 0 : null}::smallint, ${unresponsive})`
      )
    }
    return id
  }

  return {
    ...arranged,
    programId,
    instanceId,
    nextId,
    dispatch,
    path,
    /** Inserts an enrollment; by default of a site of its own customer, approved at the beginning of 2026. */
    enroll: async (given: GivenEnrollment = {}) => {
      const id = await nextId()
      const { activatesAt = null, approvedAt = "2026-01-01T00:00:00Z", siteId = null, unenrolledAt = null } = given
      const status = given.status ?? (unenrolledAt === null ? "approved" : "unenrolled")
      await app.sql(
        (
          sql
        ) => sql`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id, site_id,
            status, manufacturer_slugs, tags, submits, activates_at, approved_at, unenrolled_at, created_at, updated_at)
          VALUES (${id}, ${workspaceId}, ${instanceId}, 'customerId', ${given.customerId ?? id}, ${siteId}, ${status},
            ${given.manufacturerSlugs ?? null}::text[], '{}', true, ${activatesAt}, ${approvedAt}, ${unenrolledAt}, now(), now())`
      )
      return id
    },
    ask: (query: Query = {}) => get(path(query)),
    report: async (query: Query = {}) => {
      const { body, status, text } = await get(path(query))
      if (status !== 200) throw new Error(text)
      return body
    }
  }
}
