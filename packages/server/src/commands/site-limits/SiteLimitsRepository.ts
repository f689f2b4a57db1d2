import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"
import { PowerLimits, SiteDevice } from "./siteRoom.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

const LimitedSite = Schema.Struct({ ...PowerLimits.fields, id: Schema.String })
type LimitedSite = typeof LimitedSite.Type

const LimitedRow = Schema.Struct({ limited: Schema.Boolean })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Whether a workspace has sites with limits. */
    isLimited: (workspaceIds: ReadonlyArray<string>) =>
      query(
        decodeRows(LimitedRow)(sql`SELECT EXISTS (SELECT FROM sites WHERE workspace_id = ${anyOf(sql, workspaceIds)}
          AND (max_import_w IS NOT NULL OR max_export_w IS NOT NULL)) AS limited`)
      ).pipe(Effect.map(([row]) => row!.limited)),
    /** For a transaction: the sites with limits among those of devices, locked in order. */
    hold: (deviceIds: ReadonlyArray<string>) =>
      query(
        decodeRows(LimitedSite)(sql`SELECT id, max_import_w AS "maxImportW", max_export_w AS "maxExportW" FROM sites
        WHERE id IN (SELECT site_id FROM devices WHERE id = ${anyOf(sql, deviceIds)})
          AND (max_import_w IS NOT NULL OR max_export_w IS NOT NULL)
        ORDER BY id FOR NO KEY UPDATE`)
      ),
    /** The devices of sites that charge or discharge, with their commands that have begun or begin until a time. */
    devices: (siteIds: ReadonlyArray<string>, until: Date) =>
      query(
        decodeRows(
          SiteDevice
        )(sql`SELECT d.id, d.site_id AS "siteId", d.type, d.static_state AS "staticState", s.at, s.state,
          coalesce(open.modes, '[]') AS open, held.input AS forced
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
          LEFT JOIN forced_modes f ON f.device_id = d.id AND f.phase IN ('starting', 'holding')
          LEFT JOIN commands held ON held.id = f.command_id
          CROSS JOIN LATERAL (SELECT json_agg(json_build_object('input', c.input, 'startsAt', c.starts_at)
              ORDER BY c.starts_at, c.id) AS modes
            FROM (SELECT id, input, (extract(epoch FROM coalesce(scheduled_for, issued_at)) * 1000)::float8 AS starts_at
              FROM commands WHERE device_id = d.id AND status IN ('pending', 'scheduled', 'delivered')
                AND type = d.type || ':set-operating-mode' AND coalesce(scheduled_for, issued_at) <= ${until}) AS c) AS open
        WHERE d.site_id = ${anyOf(sql, siteIds)} AND d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL
          AND d.type IN ('battery', 'charger', 'vehicle') ORDER BY d.id`)
      )
  }
})

/** Sites with power limits, and what their devices were commanded to do. */
export class SiteLimitsRepository extends Context.Service<SiteLimitsRepository, Effect.Success<typeof make>>()(
  "@edp/server/SiteLimitsRepository"
) {
  static readonly layer = Layer.effect(SiteLimitsRepository, make)
}
