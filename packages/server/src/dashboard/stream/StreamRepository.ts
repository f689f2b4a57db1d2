import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { fleetSql } from "../fleet/FleetRepository.ts"
import { DeviceStateRow, type EventsWindow, StatusRow, StreamEventRow } from "./streamRows.ts"
import { IdRow, queryRows } from "../../platform/sql/rows.ts"

/** Taken out of the payload by the database, because a payload is a hundred times as large. */
const facts = `CASE WHEN payload IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
    'customerId', coalesce(payload #>> '{customer,id}', payload #>> '{enrollment,customerId}'),
    'alertId', payload #>> '{alert,id}',
    'commandId', payload #>> '{command,id}',
    'enrollmentId', payload #>> '{enrollment,id}',
    'sessionId', payload #>> '{session,id}',
    'accountId', payload #>> '{account,id}',
    'changed', payload -> 'changed',
    'alert', CASE WHEN payload ? 'alert' THEN jsonb_build_object(
      'severity', payload #>> '{alert,severity}', 'status', payload #>> '{alert,status}') END,
    'command', CASE WHEN payload ? 'command' THEN jsonb_build_object(
      'type', payload #>> '{command,type}', 'status', payload #>> '{command,status}') END)) END`

const MoreRow = Schema.Struct({ more: Schema.Boolean })
const SequenceRow = Schema.Struct({ sequence: Schema.Finite })

export const StreamRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`id, sequence::float8 AS sequence, type, created_at AS "createdAt",
    coalesce(device_id, payload ->> 'deviceId') AS "deviceId", site_id AS "siteId", payload IS NULL AS "isReading", ${facts} AS facts`)
  const { onlineStatus, statusGroups } = fleetSql(sql)

  return {
    /** In the order of their sequences. Planned for these values: only then are the partitions of other days skipped. */
    events: ({ workspaceId, above, upTo, since, devices, limit }: EventsWindow) =>
      queryRows(StreamEventRow)(
        sql`SELECT ${columns} FROM events
          WHERE ${sql.and([
            sql`workspace_id = ${workspaceId}`,
            sql`sequence > ${above}::bigint`,
            sql`sequence <= ${upTo}::bigint`,
            ...(since === undefined ? [] : [sql`created_at >= ${since}`]),
            devices.length === 0
              ? sql`payload IS NOT NULL`
              : sql`(payload IS NOT NULL OR device_id IN (SELECT unnest(${devices}::text[])))`
          ])} ORDER BY events.sequence ${sql.literal(`LIMIT ${limit}`)}`.unprepared
      ),
    /** Whether more than so many events of the workspace follow a sequence; those of readings count as well. */
    hasMoreThan: (workspaceId: string, above: number, most: number) =>
      queryRows(MoreRow)(sql`SELECT EXISTS (SELECT FROM events
          WHERE workspace_id = ${workspaceId} AND sequence > ${above}::bigint
          ORDER BY events.sequence ${sql.literal(`LIMIT 1 OFFSET ${most}`)}) AS more`).pipe(
        Effect.map(([row]) => row!.more)
      ),
    /** The sequence of the oldest event that is kept; undefined without any. */
    oldest: queryRows(SequenceRow)(
      sql`SELECT sequence::float8 AS sequence FROM events ORDER BY created_at, id LIMIT 1`
    ).pipe(Effect.map(([row]) => row?.sequence)),
    /** The devices among these that the workspace has. */
    deviceStates: (workspaceId: string, ids: ReadonlyArray<string>, now: Date) =>
      queryRows(
        DeviceStateRow
      )(sql`SELECT d.id, s.reading_id AS "readingId", s.at, s.state, ${onlineStatus(now)} AS "onlineStatus",
            CASE WHEN ${onlineStatus(now)} = 'online' THEN s.at + m.online_window END AS "onlineUntil"
          FROM unnest(${ids}::text[]) AS wanted (id)
          JOIN devices d ON d.id = wanted.id AND d.workspace_id = ${workspaceId}
          JOIN manufacturers m ON m.slug = d.manufacturer
          LEFT JOIN device_states s ON s.device_id = d.id`),
    /** The number of devices by type and online status. */
    deviceCounts: (workspaceId: string, now: Date) =>
      queryRows(StatusRow)(sql`${statusGroups({ workspaceId, filters: {}, now }, { type: "d.type" })}`.unprepared),
    /** The keys and sessions among these that have not ended, and the workspaces that exist. */
    live: (
      {
        keyIds,
        sessionIds,
        workspaceIds
      }: {
        readonly keyIds: ReadonlyArray<string>
        readonly sessionIds: ReadonlyArray<string>
        readonly workspaceIds: ReadonlyArray<string>
      },
      now: Date
    ) =>
      queryRows(IdRow)(sql`SELECT id FROM api_keys
          WHERE id = ANY(${keyIds}::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
          UNION ALL SELECT id FROM dashboard_sessions WHERE id = ANY(${sessionIds}::text[]) AND expires_at > ${now}
          UNION ALL SELECT id FROM workspaces WHERE id = ANY(${workspaceIds}::text[])`).pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id)))
      )
  }
})
