import type { Alert } from "@edp/domain/alerts/Alert"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { AlertRow, toAlert } from "./alertRow.ts"
import type { Occurrence } from "./alertOccurrences.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { queryRows } from "../platform/sql/rows.ts"

/** The outcome of an occurrence. */
export interface RaisedOutcome {
  /** The occurrence's id; equal to the alert's id if the alert was created for it. */
  readonly raised: string
  readonly alert: Alert
}

/** A problem of a device that no longer exists. */
export interface Settled {
  readonly deviceId: string
  readonly sourceSystem: string
  readonly type: Alert["type"]
}

/** Alerts by the ids that their source system gave them. */
export interface NamedAlerts {
  readonly workspaceId: string
  readonly sourceSystem: string
  readonly externalIds: ReadonlyArray<string>
}

const given = `given (raised text, workspace_id text, source_system text, external_id text, type text, subtype text,
  severity text, title text, description text, device_id text, site_id text, alert_type text, provider_code text,
  provider_name text, times integer)`

/** The fields that the source reports each time, besides the identifying ones. */
const reported = ["alert_type", "provider_code", "provider_name", "severity", "title", "description"]

const named = [...reported, "type", "subtype", "device_id", "site_id"]

const written = [
  ...["workspace_id", "source_system", "external_id", "type", "subtype", ...reported, "device_id"].map((column) => [
    column,
    `given.${column}`
  ]),
  ["site_id", "coalesce(given.site_id, d.site_id)"],
  ["manufacturer", "d.manufacturer"],
  ["manufacturer_device_id", "d.manufacturer_device_id"],
  ["device_name", "d.name"],
  ["device_type", "d.type"],
  ["device_model", "d.model"],
  ["device_serial_number", "d.serial_number"],
  ["status", "'OPEN'"],
  ["occurrence_count", "given.times"]
] as const

const RaisedAlertRow = Schema.Struct({ ...AlertRow.fields, raised: Schema.String })

export const RaisedAlertsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(AlertRow, {}, "alerts"))
  const outcomes = Effect.map((rows: ReadonlyArray<AlertRow & { readonly raised: string }>) =>
    rows.map(({ raised, ...row }): RaisedOutcome => ({ raised, alert: toAlert(row) }))
  )

  const formatRows = (occurrences: ReadonlyArray<Occurrence>) =>
    JSON.stringify(
      occurrences.map(({ id, raised, times }) => ({
        raised: id,
        workspace_id: raised.workspaceId,
        source_system: raised.sourceSystem,
        external_id: raised.externalId,
        type: raised.type,
        subtype: raised.subtype,
        severity: raised.severity,
        title: raised.title,
        description: raised.description,
        device_id: raised.deviceId,
        site_id: raised.siteId,
        alert_type: raised.alertType,
        provider_code: raised.providerCode,
        provider_name: raised.providerName,
        times
      }))
    )
  const offered = (occurrences: ReadonlyArray<Occurrence>) =>
    sql`jsonb_to_recordset(${formatRows(occurrences)}::jsonb) AS ${sql.literal(given)}`

  /** Inserts the given alerts; the device's fields are those of a device of the workspace. */
  const insert = (now: Date) => sql`INSERT INTO alerts (id, last_occurred_at, created_at, updated_at,
      ${sql.literal(written.map(([column]) => column).join(", "))})
    SELECT given.raised, ${now}, ${now}, ${now}, ${sql.literal(written.map(([, value]) => value).join(", "))}
    FROM given LEFT JOIN devices d ON d.id = given.device_id AND d.workspace_id = given.workspace_id`

  return {
    /** For a transaction: others that raise alerts of the workspaces wait until it ends, so that none is created twice. */
    lock: (workspaceIds: ReadonlyArray<string>) =>
      query(sql`SELECT pg_advisory_xact_lock(hashtextextended('raised alerts ' || id, 0))
        FROM unnest(${workspaceIds}::text[]) AS given (id) ORDER BY id`),
    /** Increases the count of the open alert of the same subject, or creates one. */
    raise: (occurrences: ReadonlyArray<Occurrence>, now: Date) =>
      queryRows(RaisedAlertRow)(sql`
        WITH given AS MATERIALIZED (SELECT * FROM ${offered(occurrences)}),
        known AS MATERIALIZED (
          SELECT given.raised, given.times, open.id FROM given CROSS JOIN LATERAL (
            SELECT id FROM alerts
            WHERE coalesce(device_id, site_id, workspace_id) = coalesce(given.device_id, given.site_id, given.workspace_id)
              AND source_system = given.source_system AND type = given.type
              AND subtype IS NOT DISTINCT FROM given.subtype AND workspace_id = given.workspace_id
              AND status IN ('OPEN', 'ACKNOWLEDGED')
            ORDER BY id DESC LIMIT 1 FOR NO KEY UPDATE
          ) AS open
        ), counted AS (
          UPDATE alerts SET occurrence_count = alerts.occurrence_count + known.times, last_occurred_at = ${now},
            updated_at = ${now}
          FROM known WHERE alerts.id = known.id RETURNING known.raised, ${columns}
        ), made AS (
          ${insert(now)} WHERE given.raised NOT IN (SELECT raised FROM known)
          RETURNING alerts.id AS raised, ${columns}
        )
        SELECT * FROM counted UNION ALL SELECT * FROM made`).pipe(outcomes),
    /** Updates the alert with the same external id, whatever its status, or creates one. */
    raiseNamed: (occurrences: ReadonlyArray<Occurrence>, now: Date) =>
      queryRows(RaisedAlertRow)(sql`
        WITH given AS MATERIALIZED (SELECT * FROM ${offered(occurrences)}),
        raised AS (
          ${insert(now)} ORDER BY given.source_system, given.external_id
          ON CONFLICT ON CONSTRAINT alerts_external_key DO UPDATE SET
            ${sql.literal(named.map((column) => `${column} = excluded.${column}`).join(", "))},
            occurrence_count = alerts.occurrence_count + excluded.occurrence_count,
            last_occurred_at = excluded.last_occurred_at, updated_at = excluded.updated_at
          RETURNING ${columns}
        )
        SELECT given.raised, raised.* FROM raised JOIN given ON given.workspace_id = raised."workspaceId"
          AND given.source_system = raised."sourceSystem" AND given.external_id = raised."externalId"`).pipe(outcomes),
    /** Resolves the open alerts. */
    settle: (settled: ReadonlyArray<Settled>, by: string, now: Date) =>
      queryRows(AlertRow)(sql`UPDATE alerts SET status = 'RESOLVED', resolved_at = ${now}, resolved_by = ${by},
          snoozed_until = NULL, updated_at = ${now}
        FROM jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) AS over ("deviceId" text, "sourceSystem" text, type text)
        WHERE coalesce(alerts.device_id, alerts.site_id, alerts.workspace_id) = over."deviceId"
          AND alerts.source_system = over."sourceSystem" AND alerts.type = over.type
          AND alerts.status IN ('OPEN', 'ACKNOWLEDGED')
        RETURNING ${columns}`).pipe(Effect.map((rows) => rows.map(toAlert))),
    named: ({ externalIds, sourceSystem, workspaceId }: NamedAlerts) =>
      queryRows(AlertRow)(sql`SELECT ${columns} FROM alerts WHERE workspace_id = ${workspaceId}
        AND source_system = ${sourceSystem} AND external_id = ANY(${externalIds}::text[])`).pipe(
        Effect.map((rows) => rows.map(toAlert))
      ),
    /** Resolves the open alerts and frees their external ids. */
    settleNamed: ({ externalIds, sourceSystem, workspaceId }: NamedAlerts, by: string, now: Date) =>
      queryRows(AlertRow)(sql`UPDATE alerts SET
          external_id = left(external_id, 200) || ' ' || id,
          status = CASE WHEN status = 'IGNORED' THEN status ELSE 'RESOLVED' END,
          resolved_at = CASE WHEN status IN ('OPEN', 'ACKNOWLEDGED') THEN ${now} ELSE resolved_at END,
          resolved_by = CASE WHEN status IN ('OPEN', 'ACKNOWLEDGED') THEN ${by} ELSE resolved_by END,
          snoozed_until = NULL, updated_at = ${now}
        WHERE workspace_id = ${workspaceId} AND source_system = ${sourceSystem}
          AND external_id = ANY(${externalIds}::text[])
        RETURNING ${columns}`).pipe(Effect.map((rows) => rows.map(toAlert)))
  }
})
