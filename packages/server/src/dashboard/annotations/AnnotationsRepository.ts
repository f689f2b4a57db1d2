import { Alert } from "@edp/domain/alerts/Alert"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { firstIdAt } from "../../platform/Ids.ts"
import { query } from "../../platform/sql/transaction.ts"
import { DispatchRow, type Span } from "./annotationBands.ts"
import { decodeRows, queryRows } from "../../platform/sql/rows.ts"

/** How many of the latest alerts before the end of a span are looked at, and how many dispatches of a site. */
const MOST_ALERTS = 10_000
const MOST_DISPATCHES = 2000

/** The device or site whose charts are annotated. */
export interface Subject {
  readonly kind: "device" | "site"
  readonly id: string
  readonly workspaceId: string
}

const Whereabouts = Schema.Struct({
  siteId: Schema.NullOr(Schema.String),
  /** The site's, otherwise the workspace's. */
  timezone: Schema.String,
  disconnectedAt: Schema.NullOr(Schema.Date)
})
type Whereabouts = typeof Whereabouts.Type

export const AlertBand = Schema.Struct({
  ...Struct.pick(Alert.fields, ["id", "type", "subtype", "severity", "status", "title", "sourceSystem", "deviceId"]),
  from: Schema.Date,
  to: Schema.NullOr(Schema.Date)
})
export type AlertBand = typeof AlertBand.Type

/** Rows, and whether there are more. */
export interface Found<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly isTruncated: boolean
}

const IdAtRow = Schema.Struct({ id: Schema.String, at: Schema.Date })
const AlertsRow = Schema.Struct({ ...AlertBand.fields, total: Schema.Finite })

/** Reads what explains the charts of a device or a site. */
export const AnnotationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The site and the time zone of a device or a site of a workspace; undefined if there is no such record. */
    site: ({ id, kind, workspaceId }: Subject) =>
      query(
        kind === "site"
          ? decodeRows(
              Whereabouts
            )(sql`SELECT s.id AS "siteId", coalesce(s.timezone, w.timezone) AS timezone, NULL AS "disconnectedAt"
              FROM sites s JOIN workspaces w ON w.id = s.workspace_id
              WHERE s.id = ${id} AND s.workspace_id = ${workspaceId}`)
          : decodeRows(Whereabouts)(sql`SELECT d.site_id AS "siteId", coalesce(s.timezone, w.timezone) AS timezone,
                d.disconnected_at AS "disconnectedAt"
              FROM devices d JOIN workspaces w ON w.id = d.workspace_id LEFT JOIN sites s ON s.id = d.site_id
              WHERE d.id = ${id} AND d.workspace_id = ${workspaceId}`)
      ).pipe(Effect.map(([row]) => row)),
    /** The devices of a site whose links have ended before a time. */
    disconnected: (workspaceId: string, siteId: string, before: number) =>
      queryRows(IdAtRow)(sql`SELECT id, disconnected_at AS at FROM devices
        WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND disconnected_at < ${new Date(before)}
        ORDER BY disconnected_at DESC LIMIT ${MOST_DISPATCHES}`),
    /** Alerts that overlap a span. Their ids are in order of their creation, so the index by device or site ends at the span's end. */
    alerts: ({ id, kind, workspaceId }: Subject, { from, to }: Span) =>
      queryRows(AlertsRow)(
        sql`WITH latest AS MATERIALIZED (
            SELECT id, type, subtype, severity, status, title, source_system AS "sourceSystem", device_id AS "deviceId",
              created_at AS "from", CASE status WHEN 'RESOLVED' THEN resolved_at END AS "to"
            FROM alerts WHERE workspace_id = ${workspaceId} AND ${sql(`${kind}_id`)} = ${id} AND id < ${firstIdAt(to)}
            ORDER BY id DESC LIMIT ${MOST_ALERTS}
          )
          SELECT *, (SELECT count(*)::int FROM latest) AS total FROM latest
          WHERE "to" IS NULL OR "to" > ${new Date(from)} ORDER BY id DESC`.unprepared
      ).pipe(Effect.map((rows): Found<AlertBand> => ({ rows, isTruncated: (rows[0]?.total ?? 0) >= MOST_ALERTS }))),
    /** Dispatches of a site that overlap a span, the latest first, with the part of one of its devices. */
    dispatches: (workspaceId: string, siteId: string, deviceId: string | null, { from, to }: Span) =>
      queryRows(DispatchRow)(
        sql`SELECT d.id AS "dispatchId", d.program_instance_id AS "programInstanceId", d.name, d.intervals,
            d.test, d.voluntary, d.status, p.state AS participant, p.held_out AS "heldOut", p.starts_at AS "startsAt",
            least(p.opted_out_at, CASE d.status WHEN 'cancelled' THEN d.updated_at END) AS "endedAt",
            CASE WHEN ${deviceId}::text IS NOT NULL AND p.starts_at IS NOT NULL THEN EXISTS (
              SELECT FROM dispatch_devices v WHERE v.dispatch_id = d.id AND v.device_id = ${deviceId}
                AND v.interval_index IS NOT NULL) END AS "deviceTookPart"
          FROM dispatch_sites p JOIN dispatches d ON d.id = p.dispatch_id
          WHERE p.site_id = ${siteId} AND d.workspace_id = ${workspaceId} AND d.status <> 'draft'
            AND d.starts_at < ${new Date(to)} AND d.ends_at > ${new Date(from)}
          ORDER BY d.starts_at DESC, d.id LIMIT ${MOST_DISPATCHES}`.unprepared
      ).pipe(Effect.map((rows): Found<DispatchRow> => ({ rows, isTruncated: rows.length >= MOST_DISPATCHES })))
  }
})
