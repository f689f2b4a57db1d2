import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { TargetedCommand } from "../issuing/CommandTargets.ts"
import { fitSite, PowerLimits, SiteDevice } from "./siteRoom.ts"
import { SqlClient } from "effect/sql"
import { anyOf } from "../../platform/sql/lists.ts"
import { queryRows } from "../../platform/sql/rows.ts"

const LimitedSite = Schema.Struct({ ...PowerLimits.fields, id: Schema.String })
type LimitedSite = typeof LimitedSite.Type

const LimitedRow = Schema.Struct({ limited: Schema.Boolean })

/** Sites with power limits, and what their devices were commanded to do. */
const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Whether a workspace has sites with limits. */
    isLimited: (workspaceIds: ReadonlyArray<string>) =>
      queryRows(LimitedRow)(sql`SELECT EXISTS (SELECT FROM sites WHERE workspace_id = ${anyOf(sql, workspaceIds)}
          AND (max_import_w IS NOT NULL OR max_export_w IS NOT NULL)) AS limited`).pipe(
        Effect.map(([row]) => row!.limited)
      ),
    /** The sites with limits among those of devices; for a transaction, locked in order. */
    find: (deviceIds: ReadonlyArray<string>, isLocked: boolean) =>
      queryRows(LimitedSite)(sql`SELECT id, max_import_w AS "maxImportW", max_export_w AS "maxExportW" FROM sites
        WHERE id IN (SELECT site_id FROM devices WHERE id = ${anyOf(sql, deviceIds)})
          AND (max_import_w IS NOT NULL OR max_export_w IS NOT NULL)
        ORDER BY id ${sql.literal(isLocked ? "FOR NO KEY UPDATE" : "")}`),
    /** The devices of sites that charge or discharge, with their commands that have begun or begin until a time. */
    devices: (siteIds: ReadonlyArray<string>, until: Date) =>
      queryRows(
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
  }
})

/** A device whose command would exceed a limit of its site. */
export interface LimitedCommand {
  readonly deviceId: string
  readonly code: "SITE_LIMIT"
}

interface Fitted<C> {
  readonly fit: ReadonlyArray<C>
  readonly skipped: ReadonlyArray<LimitedCommand>
}

/** Commands that are stored already count if they begin within this time, in milliseconds: a dispatch spreads its beginning over an hour. */
const SOON = 3_600_000

/** Keeps the commands of schedules and dispatches within the power limits of sites. */
export class SiteLimits extends Context.Service<
  SiteLimits,
  {
    /**
     * The commands that fit, in the given order; some with a lower `targetPowerW`. For the transaction that issues them: it holds the sites
     * with limits, so that no other one fills the same room.
     */
    readonly fit: <C extends TargetedCommand>(
      commands: ReadonlyArray<C>
    ) => Effect.Effect<Fitted<C>, DatabaseUnavailable>
    /** The same for commands that are not issued: no site is held. */
    readonly preview: <C extends TargetedCommand>(
      commands: ReadonlyArray<C>
    ) => Effect.Effect<Fitted<C>, DatabaseUnavailable>
  }
>()("@edp/server/SiteLimits") {
  static readonly layer = Layer.effect(
    SiteLimits,
    Effect.gen(function* () {
      const repository = yield* statements

      const findSites = Effect.fnUntraced(function* (commands: ReadonlyArray<TargetedCommand>, isLocked: boolean) {
        if (commands.length === 0) return []
        const workspaceIds = [...new Set(commands.map(({ workspaceId }) => workspaceId))]
        if (!(yield* repository.isLimited(workspaceIds))) return []
        return yield* repository.find(
          commands.map(({ deviceId }) => deviceId),
          isLocked
        )
      })

      const fit = Effect.fnUntraced(function* <C extends TargetedCommand>(
        commands: ReadonlyArray<C>,
        isLocked: boolean
      ) {
        const sites = yield* findSites(commands, isLocked)
        if (sites.length === 0) return { fit: commands, skipped: [] }
        const now = yield* Clock.currentTimeMillis
        const devices = yield* repository.devices(
          sites.map(({ id }) => id),
          new Date(now + SOON)
        )
        const siteIds = new Map(devices.map(({ id, siteId }) => [id, siteId]))
        const bySite = Map.groupBy(devices, ({ siteId }) => siteId)
        const asked = Map.groupBy(commands, ({ deviceId }) => siteIds.get(deviceId))
        const fitted = new Map(
          sites.flatMap(({ id, ...limits }) => [...fitSite(limits, bySite.get(id) ?? [], asked.get(id) ?? [], now)])
        )
        const results = commands.map((command) => (fitted.has(command) ? fitted.get(command) : command))
        return {
          fit: results.filter((command) => command !== undefined),
          skipped: commands
            .filter((_, index) => results[index] === undefined)
            .map(({ deviceId }) => ({ deviceId, code: "SITE_LIMIT" as const }))
        }
      })

      return {
        fit: Effect.fn("SiteLimits.fit")(<C extends TargetedCommand>(commands: ReadonlyArray<C>) =>
          fit(commands, true)
        ),
        preview: Effect.fn("SiteLimits.preview")(<C extends TargetedCommand>(commands: ReadonlyArray<C>) =>
          fit(commands, false)
        )
      }
    })
  )
}
