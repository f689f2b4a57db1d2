import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"

/** A site that takes part in a program instance. */
export interface EnrolledSite {
  readonly siteId: string
  readonly customerId: string
  readonly enrollmentId: string
  /** Manufacturers whose devices take part; null means all. */
  readonly manufacturerSlugs: ReadonlyArray<string> | null
}

/** A device of an enrolled site. */
export interface EnrolledDevice {
  readonly deviceId: string
  readonly siteId: string
  readonly type: DeviceType
  readonly manufacturer: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** An enrollment without a site stands for all sites of its customer. Of several enrollments of a site, the oldest counts. */
    at: (workspaceId: string, programInstanceId: string, at: Date) =>
      query(sql<EnrolledSite>`WITH active AS MATERIALIZED (
          SELECT id, customer_id, site_id, manufacturer_slugs FROM enrollments
          WHERE program_instance_id = ${programInstanceId} AND status = 'approved' AND workspace_id = ${workspaceId}
            AND approved_at <= ${at} AND (activates_at IS NULL OR activates_at <= ${at})
        ), enrolled AS (
          SELECT id, customer_id, site_id, manufacturer_slugs FROM active WHERE site_id IS NOT NULL
          UNION ALL
          SELECT id, customer_id, linked.site_id, manufacturer_slugs
          FROM active JOIN customer_sites linked USING (customer_id) WHERE active.site_id IS NULL
        )
        SELECT DISTINCT ON (enrolled.site_id) enrolled.site_id AS "siteId", enrolled.customer_id AS "customerId",
          enrolled.id AS "enrollmentId", manufacturer_slugs AS "manufacturerSlugs"
        FROM enrolled JOIN sites ON sites.id = enrolled.site_id
        WHERE sites.workspace_id = ${workspaceId} ORDER BY enrolled.site_id, enrolled.id`),
    devices: (workspaceId: string, siteIds: ReadonlyArray<string>) =>
      query(sql<EnrolledDevice>`SELECT id AS "deviceId", site_id AS "siteId", type, manufacturer
        FROM devices WHERE site_id = ANY(${siteIds}::text[]) AND workspace_id = ${workspaceId}
          AND disconnected_at IS NULL ORDER BY id`)
  }
})

export class EnrolledSitesRepository extends Context.Service<EnrolledSitesRepository, Effect.Success<typeof make>>()(
  "@edp/server/EnrolledSitesRepository"
) {
  static readonly layer = Layer.effect(EnrolledSitesRepository, make)
}
