import { NAMED_RESOURCES } from "@edp/domain/dashboard/OpenAdrServer"
import { openAdrKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { queryCount, queryRows, TimestampColumn } from "../../platform/sql/rows.ts"
import { ServedEventRow, ServedProgramRow } from "./servedRow.ts"

const text = Schema.String
const orNull = Schema.NullOr

const ClientRow = Schema.Struct({
  id: text,
  name: text,
  type: Schema.Literals(openAdrKeyTypes),
  revoked: Schema.Boolean,
  expiresAt: orNull(Schema.Date),
  lastSeenAt: orNull(TimestampColumn),
  lastReportAt: orNull(TimestampColumn),
  customerId: orNull(text),
  programInstanceId: orNull(text),
  enrollmentCount: Schema.Finite,
  venId: orNull(text),
  venName: orNull(text),
  targets: Schema.Array(text),
  resourceCount: Schema.Finite,
  resources: Schema.Array(text)
})
export type ClientRow = typeof ClientRow.Type

/** Events that are read to find what governs, in the order of their rank. */
const READ_EVENTS = 2000
const READ_PROGRAMS = 1000

/** The rows of the OpenADR server, for its page. */
export const OpenAdrServerRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isClient = (workspaceId: string) =>
    sql`key.workspace_id = ${workspaceId} AND key.type IN ${sql.in(openAdrKeyTypes)}`
  const hasNotEnded = (workspaceId: string, now: Date) =>
    sql`event.workspace_id = ${workspaceId} AND (event.ends_at IS NULL OR event.ends_at > ${now})`

  return {
    clients: (workspaceId: string, limit: number, offset: number) =>
      queryRows(ClientRow)(sql`SELECT key.id, key.name, key.type, key.revoked_at IS NOT NULL AS revoked,
          key.expires_at AS "expiresAt", key.last_used_at AS "lastSeenAt",
          (SELECT modified_at FROM vtn_reports report WHERE report.workspace_id = key.workspace_id
            AND report.client_id = key.id ORDER BY report.id DESC LIMIT 1) AS "lastReportAt",
          key.scope_customer_id AS "customerId", key.scope_program_instance_id AS "programInstanceId",
          coalesce(cardinality(key.scope_enrollment_ids), 0) AS "enrollmentCount",
          ven.id AS "venId", ven.ven_name AS "venName", coalesce(ven.targets, '{}') AS targets,
          (SELECT count(*)::int FROM vtn_resources WHERE ven_id = ven.id) AS "resourceCount",
          ARRAY(SELECT resource_name FROM vtn_resources WHERE ven_id = ven.id ORDER BY resource_name
            LIMIT ${NAMED_RESOURCES}) AS resources
        FROM api_keys key LEFT JOIN vtn_vens ven ON ven.workspace_id = key.workspace_id AND ven.client_id = key.id
        WHERE ${isClient(workspaceId)} ORDER BY key.id DESC LIMIT ${limit} OFFSET ${offset}`),
    countClients: (workspaceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM api_keys key WHERE ${isClient(workspaceId)}`),
    programs: (workspaceId: string) =>
      queryRows(ServedProgramRow)(sql`SELECT id, program_name AS name, body FROM vtn_programs
        WHERE workspace_id = ${workspaceId} ORDER BY program_name, id LIMIT ${READ_PROGRAMS}`),
    events: (workspaceId: string, now: Date) =>
      queryRows(ServedEventRow)(sql`SELECT event.id, event.vtn_program_id AS "programId",
          published.dispatch_id AS "dispatchId", event.priority::float8 AS priority, coalesce(event.targets, '{}') AS targets, event.body,
          event.created_at AS "createdAt", event.modified_at AS "modifiedAt"
        FROM vtn_events event LEFT JOIN LATERAL (SELECT published.dispatch_id FROM vtn_published_dispatches published
            JOIN vtn_publications publication ON publication.program_instance_id = published.program_instance_id
          WHERE publication.vtn_program_id = event.vtn_program_id AND published.event_key = event.id LIMIT 1) published
          ON event.client_id IS NULL
        WHERE ${hasNotEnded(workspaceId, now)} ORDER BY event.priority, event.id LIMIT ${READ_EVENTS}`),
    countEvents: (workspaceId: string, now: Date) =>
      queryCount(sql`SELECT count(*)::int AS n FROM vtn_events event WHERE ${hasNotEnded(workspaceId, now)}`)
  }
})
