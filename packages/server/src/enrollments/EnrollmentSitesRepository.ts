import type { Intervention } from "@edp/domain/devices/Intervention"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { customerLookups } from "../customers/customerTable.ts"
import { siteTable } from "../sites/siteTable.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { IdRow, JsonColumn, queryRows } from "../platform/sql/rows.ts"

/** An enrollment, or a person who might be enrolled, as far as it decides about sites. */
export interface Enrolled {
  /** Chosen by the caller. */
  readonly key: string
  readonly customerId: string | null
  /** Null stands for all sites of the customer. */
  readonly siteId: string | null
  readonly manufacturerSlugs: ReadonlyArray<string> | null
}

/** An enrolled site. */
export const EnrollmentSiteRow = Schema.Struct({
  key: Schema.String,
  /** The state's key: a code in the USA. */
  state: Schema.String,
  country: Schema.String,
  /** The connected devices of the manufacturers that take part. */
  deviceIds: Schema.Array(Schema.String),
  interventions: Schema.Array(Schema.Array(JsonColumn<Intervention>()))
})
export type EnrollmentSiteRow = typeof EnrollmentSiteRow.Type

/** The sites of enrollments. */
export const EnrollmentSitesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** The workspaces of existing sites. In a transaction they are locked, so that none is deleted meanwhile. */
    owners: siteTable(sql).owners,
    /** The sites of customers among the given ones. */
    associated: customerLookups(sql).associated,
    /** The program instances that have terms. */
    withTerms: (instanceIds: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> =>
      queryRows(IdRow)(sql`SELECT id FROM program_instances
        WHERE id = ANY(${instanceIds}::text[]) AND program_terms <> ''`).pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id)))
      ),
    /** The sites of enrollments with their devices, in one statement. */
    sites: (
      workspaceId: string,
      enrolled: ReadonlyArray<Enrolled>
    ): Effect.Effect<ReadonlyArray<EnrollmentSiteRow>, DatabaseUnavailable> =>
      enrolled.length === 0
        ? Effect.succeed([])
        : queryRows(EnrollmentSiteRow)(sql`WITH given AS MATERIALIZED (
              SELECT * FROM json_to_recordset(${JSON.stringify(enrolled)}::json)
                AS given (key text, "customerId" text, "siteId" text, "manufacturerSlugs" text[])
            ), chosen AS (
              SELECT key, "siteId" AS site_id, "manufacturerSlugs" AS slugs FROM given WHERE "siteId" IS NOT NULL
              UNION ALL
              SELECT key, linked.site_id, "manufacturerSlugs" FROM given
                JOIN customer_sites linked ON linked.customer_id = given."customerId" WHERE "siteId" IS NULL
            )
            SELECT chosen.key, sites.state_key AS state, sites.country,
              coalesce(connected.ids, '{}') AS "deviceIds", coalesce(connected.interventions, '[]') AS interventions
            FROM chosen JOIN sites ON sites.id = chosen.site_id
              CROSS JOIN LATERAL (
                SELECT array_agg(devices.id ORDER BY devices.id) AS ids,
                  jsonb_agg(devices.interventions ORDER BY devices.id)
                    FILTER (WHERE jsonb_array_length(devices.interventions) > 0) AS interventions
                FROM devices WHERE devices.site_id = sites.id AND devices.workspace_id = sites.workspace_id
                  AND disconnected_at IS NULL AND (chosen.slugs IS NULL OR devices.manufacturer = ANY(chosen.slugs))
              ) AS connected
            WHERE sites.workspace_id = ${workspaceId} ORDER BY chosen.key, sites.id`)
  }
})
