import type { DispatchInterval } from "@edp/domain/dispatches/Dispatch"
import type { ReportedResource } from "@edp/domain/openadr/OpenAdrObjects"
import type { OpenAdrSignal } from "@edp/domain/openadr/OpenAdrPublication"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { isReady } from "../../platform/jobs/isolation.ts"
import { JsonColumn, TimestampColumn, queryCount, queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"

export const PublicationRow = Schema.Struct({
  programInstanceId: Schema.String,
  workspaceId: Schema.String,
  openAdrProgramId: Schema.String,
  signal: JsonColumn<OpenAdrSignal>(),
  programName: Schema.String,
  targets: Schema.Array(Schema.String),
  createdAt: TimestampColumn,
  updatedAt: TimestampColumn
})
export type PublicationRow = typeof PublicationRow.Type

/** A dispatch whose event is missing, out of date or to be deleted. */
export const DueDispatch = Schema.Struct({
  id: Schema.String,
  /** The event that it has; null if it has none. */
  eventId: Schema.NullOr(Schema.String),
  isEnded: Schema.Boolean,
  name: Schema.String,
  startsAt: Schema.Date,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  priority: Schema.Finite,
  randomizeStartSeconds: Schema.Finite,
  /** A hash of all that its event shows. */
  state: Schema.String
})
export type DueDispatch = typeof DueDispatch.Type

export const VenReportRow = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  venName: Schema.NullOr(Schema.String),
  eventId: Schema.String,
  clientName: Schema.String,
  reportName: Schema.NullOr(Schema.String),
  resources: JsonColumn<ReadonlyArray<ReportedResource>>(),
  /** The sites of its resources, by the names of these. */
  sites: Schema.NullOr(JsonColumn<Readonly<Record<string, string>>>()),
  createdAt: TimestampColumn,
  updatedAt: TimestampColumn
})
export type VenReportRow = typeof VenReportRow.Type

const VenRow = Schema.Struct({
  id: Schema.String,
  venName: Schema.String,
  clientId: Schema.String,
  targets: Schema.Array(Schema.String),
  resourceCount: Schema.Finite,
  createdAt: TimestampColumn,
  updatedAt: TimestampColumn
})

/** Dispatches that one transaction publishes. */
const PUBLISHED_TOGETHER = 50

/** The work in which a dispatch that fails is put off. */
export const PUBLISHING = "dispatches to OpenADR"

export const PublicationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`publication.program_instance_id AS "programInstanceId",
    publication.workspace_id AS "workspaceId", publication.vtn_program_id AS "openAdrProgramId", publication.signal,
    program.program_name AS "programName", coalesce(program.targets, '{}') AS targets,
    publication.created_at AS "createdAt", publication.updated_at AS "updatedAt"`)
  const publications = sql.literal(`vtn_publications publication
    JOIN vtn_programs program ON program.id = publication.vtn_program_id`)

  /** A hash of all that the event of a dispatch shows. */
  const state = `md5(ROW(dispatch.name, extract(epoch FROM dispatch.starts_at), dispatch.intervals, dispatch.priority,
      dispatch.randomize_start_seconds, dispatch.status IN ('cancelled', 'draft'))::text)`
  /** Announced dispatches without an event, and those that it no longer shows. A completed dispatch changes no more. */
  const isDue = sql.literal(`(event.dispatch_id IS NULL AND dispatch.status IN ('scheduled', 'running')
      OR event.published_state = '' OR dispatch.status <> 'completed' AND event.published_state <> ${state})`)
  const isNotPutOff = isReady(sql, PUBLISHING, "dispatch.id")
  const dispatches = sql.literal(`FROM dispatches dispatch
    LEFT JOIN vtn_published_dispatches event ON event.dispatch_id = dispatch.id`)

  const reports = (condition: Statement.Fragment, limit: number, offset: number) =>
    queryRows(VenReportRow)(sql`SELECT report.id, report.client_id AS "clientId", ven.ven_name AS "venName",
        report.event_key AS "eventId", report.client_name AS "clientName", report.body ->> 'reportName' AS "reportName",
        report.body -> 'resources' AS resources, report.reported_sites AS sites, report.created_at AS "createdAt", report.modified_at AS "updatedAt"
      FROM vtn_reports report
        LEFT JOIN vtn_vens ven ON ven.workspace_id = report.workspace_id AND ven.client_id = report.client_id
      WHERE ${condition} ORDER BY report.id DESC LIMIT ${limit} OFFSET ${offset}`)
  const countReports = (condition: Statement.Fragment) =>
    queryCount(sql`SELECT count(*)::int AS n FROM vtn_reports report WHERE ${condition}`)
  const inWorkspace = (workspaceId: string) => sql`report.workspace_id = ${workspaceId}`
  const onDispatch = (workspaceId: string, dispatchId: string) => sql`${inWorkspace(workspaceId)}
    AND report.event_key IN (SELECT event_key FROM vtn_published_dispatches WHERE dispatch_id = ${dispatchId})`

  return {
    get: (workspaceId: string, instanceId: string) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM ${publications}
        WHERE publication.program_instance_id = ${instanceId} AND publication.workspace_id = ${workspaceId}`),
    /** The same; the publication is locked until the transaction ends. */
    lock: (workspaceId: string, instanceId: string) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM ${publications}
        WHERE publication.program_instance_id = ${instanceId} AND publication.workspace_id = ${workspaceId}
        FOR UPDATE OF publication`),
    save: (
      publication: Pick<PublicationRow, "programInstanceId" | "workspaceId" | "openAdrProgramId" | "signal">,
      now: Date
    ) =>
      query(sql`INSERT INTO vtn_publications (program_instance_id, workspace_id, vtn_program_id, signal, created_at, updated_at)
        VALUES (${publication.programInstanceId}, ${publication.workspaceId}, ${publication.openAdrProgramId},
          ${JSON.stringify(publication.signal)}::jsonb, ${now}, ${now})
        ON CONFLICT (program_instance_id) DO UPDATE SET signal = excluded.signal, updated_at = excluded.updated_at`),
    /** Makes all events of an instance out of date. */
    invalidate: (instanceId: string) =>
      query(sql`UPDATE vtn_published_dispatches SET published_state = '' WHERE program_instance_id = ${instanceId}`),
    remove: (instanceId: string) => query(sql`DELETE FROM vtn_publications WHERE program_instance_id = ${instanceId}`),
    /** Ids of the events of an instance. */
    events: (instanceId: string) =>
      queryIds(sql`SELECT event.event_key AS id FROM vtn_published_dispatches event
        JOIN vtn_events ON vtn_events.id = event.event_key WHERE event.program_instance_id = ${instanceId}`),
    /** An instance with a dispatch that is due. */
    nextInstance: queryIds(sql`SELECT program_instance_id AS id FROM vtn_publications publication
      WHERE EXISTS (SELECT ${dispatches}
        WHERE dispatch.program_instance_id = publication.program_instance_id AND ${isDue} AND ${isNotPutOff})
      ORDER BY program_instance_id LIMIT 1`),
    dueIds: (instanceId: string) =>
      queryIds(sql`SELECT dispatch.id ${dispatches}
        WHERE dispatch.program_instance_id = ${instanceId} AND ${isDue} AND ${isNotPutOff}
        ORDER BY dispatch.id LIMIT ${PUBLISHED_TOGETHER}`),
    /** The publication of an instance, locked until the transaction ends; none while another process is at it. */
    take: (instanceId: string) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM ${publications}
        WHERE publication.program_instance_id = ${instanceId} FOR UPDATE OF publication SKIP LOCKED`),
    /** Those of the dispatches that are still due. */
    due: (instanceId: string, ids: ReadonlyArray<string>) =>
      queryRows(DueDispatch)(sql`SELECT dispatch.id, vtn_events.id AS "eventId",
          dispatch.status IN ('cancelled', 'draft') AS "isEnded", dispatch.name, dispatch.starts_at AS "startsAt",
          dispatch.intervals, dispatch.priority, dispatch.randomize_start_seconds AS "randomizeStartSeconds",
          ${sql.literal(state)} AS state
        ${dispatches} LEFT JOIN vtn_events ON vtn_events.id = event.event_key
        WHERE dispatch.program_instance_id = ${instanceId} AND dispatch.id = ANY(${ids}::text[]) AND ${isDue}
        ORDER BY dispatch.id`),
    published: (dispatch: DueDispatch, instanceId: string, eventId: string) =>
      query(sql`INSERT INTO vtn_published_dispatches (dispatch_id, program_instance_id, event_key, published_state)
        VALUES (${dispatch.id}, ${instanceId}, ${eventId}, ${dispatch.state})
        ON CONFLICT (dispatch_id) DO UPDATE SET event_key = excluded.event_key, published_state = excluded.published_state`),
    /** The event is gone, and its reports are found by the id that it had. */
    settled: ({ id, state }: DueDispatch) =>
      query(sql`UPDATE vtn_published_dispatches SET published_state = ${state} WHERE dispatch_id = ${id}`),
    reports: (workspaceId: string, limit: number, offset: number) => reports(inWorkspace(workspaceId), limit, offset),
    countReports: (workspaceId: string) => countReports(inWorkspace(workspaceId)),
    dispatchReports: (workspaceId: string, dispatchId: string, limit: number, offset: number) =>
      reports(onDispatch(workspaceId, dispatchId), limit, offset),
    countDispatchReports: (workspaceId: string, dispatchId: string) =>
      countReports(onDispatch(workspaceId, dispatchId)),
    vens: (workspaceId: string, limit: number, offset: number) =>
      queryRows(VenRow)(sql`SELECT ven.id, ven.ven_name AS "venName", ven.client_id AS "clientId",
          coalesce(ven.targets, '{}') AS targets,
          (SELECT count(*)::int FROM vtn_resources WHERE ven_id = ven.id) AS "resourceCount",
          ven.created_at AS "createdAt", ven.modified_at AS "updatedAt"
        FROM vtn_vens ven WHERE ven.workspace_id = ${workspaceId} ORDER BY ven.id DESC LIMIT ${limit} OFFSET ${offset}`),
    countVens: (workspaceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM vtn_vens WHERE workspace_id = ${workspaceId}`)
  }
})
