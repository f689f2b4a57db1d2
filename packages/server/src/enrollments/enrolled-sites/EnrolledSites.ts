import { Context, Effect, Layer, Schema } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { SqlClient } from "effect/sql"
import { queryRows } from "../../platform/sql/rows.ts"

/** A site that takes part in a program instance. */
export const EnrolledSite = Schema.Struct({
  siteId: Schema.String,
  customerId: Schema.String,
  enrollmentId: Schema.String,
  /** Manufacturers whose devices take part; null means all. */
  manufacturerSlugs: Schema.NullOr(Schema.Array(Schema.String))
})
export type EnrolledSite = typeof EnrolledSite.Type

/** A device of an enrolled site. */
export const EnrolledDevice = Schema.Struct({
  deviceId: Schema.String,
  siteId: Schema.String,
  type: DeviceType,
  manufacturer: Schema.String
})
export type EnrolledDevice = typeof EnrolledDevice.Type

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** An enrollment without a site stands for all sites of its customer. Of several enrollments of a site, the oldest counts. */
    at: (workspaceId: string, programInstanceId: string, at: Date) =>
      queryRows(EnrolledSite)(sql`WITH active AS MATERIALIZED (
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
      queryRows(EnrolledDevice)(sql`SELECT id AS "deviceId", site_id AS "siteId", type, manufacturer
        FROM devices WHERE site_id = ANY(${siteIds}::text[]) AND workspace_id = ${workspaceId}
          AND disconnected_at IS NULL ORDER BY id`)
  }
})

/** The sites that take part in program instances, and their devices. */
export class EnrolledSites extends Context.Service<
  EnrolledSites,
  {
    /**
     * The sites whose enrollments are approved, and were approved and active at the time. Each site has one row, of its oldest
     * enrollment.
     */
    readonly at: (
      workspaceId: string,
      programInstanceId: string,
      at: Date
    ) => Effect.Effect<ReadonlyArray<EnrolledSite>, DatabaseUnavailable>
    /** The devices that the sites have connected, of the manufacturers of their enrollments. */
    readonly devices: (
      workspaceId: string,
      sites: ReadonlyArray<EnrolledSite>
    ) => Effect.Effect<ReadonlyArray<EnrolledDevice>, DatabaseUnavailable>
  }
>()("@edp/server/EnrolledSites") {
  static readonly layer = Layer.effect(
    EnrolledSites,
    Effect.gen(function* () {
      const repository = yield* statements

      return {
        at: Effect.fn("EnrolledSites.at")(repository.at),
        devices: Effect.fn("EnrolledSites.devices")(function* (workspaceId, sites) {
          if (sites.length === 0) return []
          const slugs = new Map(sites.map(({ manufacturerSlugs, siteId }) => [siteId, manufacturerSlugs]))
          const devices = yield* repository.devices(workspaceId, [...slugs.keys()])
          return devices.filter(({ manufacturer, siteId }) => slugs.get(siteId)?.includes(manufacturer) ?? true)
        })
      }
    })
  )
}
