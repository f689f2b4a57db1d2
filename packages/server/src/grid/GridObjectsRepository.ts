import type { GridEventStatus, GridPayloadOutcome } from "@edp/domain/grid/GridEvent"
import type { GridReportStatus } from "@edp/domain/grid/GridReport"
import type { OpenAdrProgram } from "@edp/domain/openadr/OpenAdrObjects"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limited } from "../platform/sql/lists.ts"
import { queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { query } from "../platform/sql/transaction.ts"
import type { PlannedInterval } from "./plan/dispatchPlan.ts"
import { DispatchLinkRow, EventRow, ListedEventRow, programExpressions, ProgramRow, ReportRow } from "./gridRow.ts"

/** A program as the VTN lists it, with the id that it gets if it is new. */
export interface ReceivedProgram {
  readonly id: string
  readonly body: OpenAdrProgram
}

/** An event as the VTN lists it, with the id that it gets if it is new. */
export type ReceivedEvent = Pick<
  EventRow,
  "id" | "programId" | "vtnEventId" | "priority" | "body" | "startsAt" | "endsAt" | "vtnCreatedAt" | "vtnModifiedAt"
>

export type NewReport = Pick<
  ReportRow,
  "id" | "eventId" | "descriptor" | "position" | "intervals" | "startsAt" | "endsAt" | "dueAt" | "status" | "detail"
>

const eventExpressions = { connectionId: "grid_connection_id", programId: "grid_program_id", vtnEventId: "remote_id" }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const programColumns = sql.literal(selectList(ProgramRow, programExpressions))
  const eventColumns = sql.literal(selectList(EventRow, eventExpressions))
  const listedEvent = sql.literal(
    selectList(ListedEventRow, {
      ...eventExpressions,
      dispatchIds: `ARRAY(SELECT dispatch_id FROM grid_dispatches WHERE grid_event_id = grid_events.id
        ORDER BY dispatch_id DESC LIMIT 1000)`,
      programDescriptors: `(SELECT body -> 'payloadDescriptors' FROM grid_programs WHERE id = grid_events.grid_program_id)`
    })
  )
  const linkColumns = sql.literal(selectList(DispatchLinkRow, { eventId: "grid_event_id" }))
  const reportColumns = sql.literal(
    selectList(ReportRow, {
      connectionId: "grid_connection_id",
      eventId: "grid_event_id",
      vtnReportId: "remote_report_id"
    })
  )

  const inStatus = (status: GridEventStatus, now: Date) => {
    if (status === "deleted") return sql`deleted_at IS NOT NULL`
    const exists = sql`deleted_at IS NULL`
    if (status === "upcoming") return sql`(${exists} AND starts_at > ${now})`
    if (status === "ended") return sql`(${exists} AND starts_at <= ${now} AND ends_at <= ${now})`
    return sql`(${exists} AND coalesce(starts_at, '-infinity') <= ${now} AND coalesce(ends_at, 'infinity') > ${now})`
  }
  const matchingEvents = (connectionId: string, statuses: ReadonlyArray<GridEventStatus> | undefined, now: Date) =>
    sql.and([
      sql`grid_connection_id = ${connectionId}`,
      ...(statuses === undefined ? [] : [sql.or(statuses.map((status) => inStatus(status, now)))])
    ])
  const matchingReports = (connectionId: string, statuses: ReadonlyArray<GridReportStatus> | undefined) =>
    sql.and([
      sql`grid_connection_id = ${connectionId}`,
      ...(statuses === undefined ? [] : [sql`status = ANY(${statuses}::text[])`])
    ])

  return {
    listPrograms: (connectionId: string, limit: number, offset: number) =>
      queryRows(ProgramRow)(sql`SELECT ${programColumns} FROM grid_programs WHERE grid_connection_id = ${connectionId}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    countPrograms: (connectionId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM grid_programs WHERE grid_connection_id = ${connectionId}`),
    /** The programs that an instance follows. */
    instancePrograms: (instanceId: string, limit: number, offset: number) =>
      queryRows(ProgramRow)(sql`SELECT ${programColumns} FROM grid_programs WHERE program_instance_id = ${instanceId}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    countInstancePrograms: (instanceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM grid_programs WHERE program_instance_id = ${instanceId}`),
    program: (workspaceId: string, id: string) =>
      queryRows(ProgramRow)(
        sql`SELECT ${programColumns} FROM grid_programs WHERE id = ${id} AND workspace_id = ${workspaceId}`
      ),
    /** Locks the program: its dispatches are planned by one at a time. */
    lockProgram: (workspaceId: string, id: string) =>
      queryRows(ProgramRow)(sql`SELECT ${programColumns} FROM grid_programs
        WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    updateProgram: ({ id, programInstanceId, rules, updatedAt }: ProgramRow) =>
      query(sql`UPDATE grid_programs SET program_instance_id = ${programInstanceId},
          rules = ${JSON.stringify(rules)}::jsonb, updated_at = ${updatedAt} WHERE id = ${id}`),
    /** Stores what the VTN lists. Programs that it no longer lists are removed if the list is whole. */
    storePrograms: (
      owner: { readonly workspaceId: string; readonly connectionId: string },
      programs: ReadonlyArray<ReceivedProgram>,
      isWhole: boolean,
      now: Date
    ) =>
      Effect.gen(function* () {
        yield* query(sql`INSERT INTO grid_programs (id, workspace_id, grid_connection_id, remote_id, body, rules,
            created_at, updated_at)
          SELECT given.id, ${owner.workspaceId}, ${owner.connectionId}, given.body ->> 'id', given.body, '[]', ${now}, ${now}
          FROM jsonb_to_recordset(${JSON.stringify(programs)}::jsonb) AS given (id text, body jsonb)
          ORDER BY given.id
          ON CONFLICT (grid_connection_id, remote_id) DO UPDATE
            SET body = EXCLUDED.body, removed_at = NULL, updated_at = EXCLUDED.updated_at
            WHERE grid_programs.body IS DISTINCT FROM EXCLUDED.body OR grid_programs.removed_at IS NOT NULL`)
        if (isWhole) {
          yield* query(sql`UPDATE grid_programs SET removed_at = ${now}, updated_at = ${now}
            WHERE grid_connection_id = ${owner.connectionId} AND removed_at IS NULL
              AND remote_id <> ALL(${programs.map(({ body }) => body.id)}::text[])`)
        }
      }),
    programs: (connectionId: string) =>
      queryRows(ProgramRow)(sql`SELECT ${programColumns} FROM grid_programs WHERE grid_connection_id = ${connectionId}
        ORDER BY id DESC LIMIT 5000`),
    listEvents: (
      connectionId: string,
      statuses: ReadonlyArray<GridEventStatus> | undefined,
      now: Date,
      limit: number,
      offset: number
    ) =>
      queryRows(ListedEventRow)(sql`SELECT ${listedEvent} FROM grid_events
        WHERE ${matchingEvents(connectionId, statuses, now)} ORDER BY id DESC ${limited(sql, limit, offset)}`),
    countEvents: (connectionId: string, statuses: ReadonlyArray<GridEventStatus> | undefined, now: Date) =>
      queryCount(sql`SELECT count(*)::int AS n FROM grid_events WHERE ${matchingEvents(connectionId, statuses, now)}`),
    /** Stores what the VTN lists; an event that it did not change stays as it is. */
    storeEvents: (
      owner: { readonly workspaceId: string; readonly connectionId: string },
      events: ReadonlyArray<ReceivedEvent>,
      now: Date
    ) =>
      query(sql`INSERT INTO grid_events (id, workspace_id, grid_connection_id, grid_program_id, remote_id, priority, body,
          starts_at, ends_at, vtn_created_at, vtn_modified_at, outcomes, created_at, updated_at)
        SELECT given.id, ${owner.workspaceId}, ${owner.connectionId}, "programId", "vtnEventId", priority, body,
          "startsAt", "endsAt", "vtnCreatedAt", "vtnModifiedAt", '[]', ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS given (id text, "programId" text,
          "vtnEventId" text, priority float8, body jsonb, "startsAt" timestamptz, "endsAt" timestamptz,
          "vtnCreatedAt" timestamptz, "vtnModifiedAt" timestamptz)
        ORDER BY given.id
        ON CONFLICT (grid_connection_id, remote_id) DO UPDATE SET grid_program_id = EXCLUDED.grid_program_id,
          priority = EXCLUDED.priority, body = EXCLUDED.body, starts_at = EXCLUDED.starts_at, ends_at = EXCLUDED.ends_at,
          vtn_created_at = EXCLUDED.vtn_created_at, vtn_modified_at = EXCLUDED.vtn_modified_at, deleted_at = NULL,
          updated_at = EXCLUDED.updated_at
        WHERE grid_events.body IS DISTINCT FROM EXCLUDED.body OR grid_events.deleted_at IS NOT NULL`),
    /** Marks the events that the VTN no longer lists although they do not end before a time. */
    markDeleted: (connectionId: string, listed: ReadonlyArray<string>, now: Date, ends: Date) =>
      query(sql`UPDATE grid_events SET deleted_at = ${now}, updated_at = ${now}
        WHERE grid_connection_id = ${connectionId} AND deleted_at IS NULL AND coalesce(ends_at, 'infinity') > ${ends}
          AND remote_id <> ALL(${listed}::text[])`),
    forgetEvents: (connectionId: string, before: Date) =>
      query(sql`DELETE FROM grid_events WHERE id IN (SELECT id FROM grid_events
        WHERE grid_connection_id = ${connectionId} AND coalesce(deleted_at, ends_at) < ${before} LIMIT 1000)`),
    /** The events of a program that govern some time from one on. */
    eventsFrom: (programId: string, from: Date) =>
      queryRows(EventRow)(sql`SELECT ${eventColumns} FROM grid_events
        WHERE grid_program_id = ${programId} AND deleted_at IS NULL AND starts_at IS NOT NULL
          AND coalesce(ends_at, 'infinity') > ${from}
        ORDER BY id LIMIT 5000`),
    /** The events of a connection that ask for reports and have not ended before a time. */
    reportingEvents: (connectionId: string, since: Date) =>
      queryRows(EventRow)(sql`SELECT ${eventColumns} FROM grid_events
        WHERE grid_connection_id = ${connectionId} AND starts_at IS NOT NULL AND deleted_at IS NULL
          AND jsonb_typeof(body -> 'reportDescriptors') = 'array' AND body -> 'reportDescriptors' <> '[]'
          AND coalesce(ends_at, 'infinity') > ${since} ORDER BY id LIMIT 5000`),
    event: (id: string) => queryRows(EventRow)(sql`SELECT ${eventColumns} FROM grid_events WHERE id = ${id}`),
    storeOutcomes: (
      outcomes: ReadonlyArray<{ readonly id: string; readonly outcomes: ReadonlyArray<GridPayloadOutcome> }>
    ) =>
      query(sql`UPDATE grid_events SET outcomes = given.outcomes
        FROM jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) AS given (id text, outcomes jsonb)
        WHERE grid_events.id = given.id AND grid_events.outcomes IS DISTINCT FROM given.outcomes`),
    /** The dispatches of a program that were not cancelled and end after a time. */
    liveDispatches: (programId: string, after: Date) =>
      queryRows(DispatchLinkRow)(sql`SELECT ${linkColumns} FROM grid_dispatches
        WHERE grid_program_id = ${programId} AND cancelled_at IS NULL AND ends_at > ${after} ORDER BY dispatch_id`),
    dispatchesOfEvent: (eventId: string) =>
      queryRows(DispatchLinkRow)(sql`SELECT ${linkColumns} FROM grid_dispatches WHERE grid_event_id = ${eventId}
        ORDER BY dispatch_id LIMIT 1000`),
    linkDispatch: (link: {
      readonly dispatchId: string
      readonly workspaceId: string
      readonly programId: string
      readonly eventId: string
      readonly intervals: ReadonlyArray<PlannedInterval>
      readonly now: Date
    }) =>
      query(sql`INSERT INTO grid_dispatches (dispatch_id, workspace_id, grid_program_id, grid_event_id, intervals, ends_at, created_at)
        VALUES (${link.dispatchId}, ${link.workspaceId}, ${link.programId}, ${link.eventId},
          ${JSON.stringify(link.intervals)}::jsonb, ${new Date(link.intervals.at(-1)!.end)}, ${link.now})`),
    markCancelled: (dispatchId: string, now: Date) =>
      query(sql`UPDATE grid_dispatches SET cancelled_at = ${now} WHERE dispatch_id = ${dispatchId}`),
    /** Stores reports that are not stored yet. */
    storeReports: (
      owner: { readonly workspaceId: string; readonly connectionId: string },
      reports: ReadonlyArray<NewReport>,
      now: Date
    ) =>
      query(sql`INSERT INTO grid_reports (id, workspace_id, grid_connection_id, grid_event_id, descriptor, position, intervals,
          starts_at, ends_at, due_at, status, detail, attempts, created_at)
        SELECT id, ${owner.workspaceId}, ${owner.connectionId}, "eventId", descriptor, position, intervals, "startsAt",
          "endsAt", "dueAt", status, detail, 0, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) AS given (id text, "eventId" text, descriptor jsonb,
          position int, intervals jsonb, "startsAt" timestamptz, "endsAt" timestamptz, "dueAt" timestamptz,
          status text, detail text)
        ORDER BY id ON CONFLICT (grid_event_id, position, due_at) DO NOTHING`),
    dueReports: (connectionId: string, limit: number) =>
      queryRows(ReportRow)(sql`SELECT ${reportColumns} FROM grid_reports
        WHERE grid_connection_id = ${connectionId} AND status = 'due' ORDER BY due_at, id ${limited(sql, limit)}`),
    recordReport: (report: Pick<ReportRow, "id" | "status" | "detail" | "vtnReportId" | "sentAt">) =>
      query(sql`UPDATE grid_reports SET status = ${report.status}, detail = ${report.detail},
          remote_report_id = ${report.vtnReportId}, sent_at = ${report.sentAt}
        WHERE id = ${report.id} AND status = 'due'`),
    markAttempt: (id: string) => query(sql`UPDATE grid_reports SET attempts = attempts + 1 WHERE id = ${id}`),
    /** The program instance that follows a program; null if none does. */
    findInstance: (programId: string) =>
      queryIds(sql`SELECT program_instance_id AS id FROM grid_programs
        WHERE id = ${programId} AND program_instance_id IS NOT NULL`).pipe(Effect.map(([id]) => id ?? null)),
    listReports: (
      connectionId: string,
      statuses: ReadonlyArray<GridReportStatus> | undefined,
      limit: number,
      offset: number
    ) =>
      queryRows(
        ReportRow
      )(sql`SELECT ${reportColumns} FROM grid_reports WHERE ${matchingReports(connectionId, statuses)}
        ORDER BY id DESC ${limited(sql, limit, offset)}`),
    countReports: (connectionId: string, statuses: ReadonlyArray<GridReportStatus> | undefined) =>
      queryCount(sql`SELECT count(*)::int AS n FROM grid_reports WHERE ${matchingReports(connectionId, statuses)}`),
    /** The dispatches of a connection that were not cancelled and have not ended. */
    openDispatches: (connectionId: string, now: Date) =>
      queryIds(sql`SELECT dispatch_id AS id FROM grid_dispatches
          JOIN grid_programs ON grid_programs.id = grid_dispatches.grid_program_id
        WHERE grid_programs.grid_connection_id = ${connectionId} AND cancelled_at IS NULL AND ends_at > ${now}`)
  }
})

export class GridObjectsRepository extends Context.Service<GridObjectsRepository, Effect.Success<typeof make>>()(
  "@edp/server/grid/GridObjectsRepository"
) {
  static readonly layer = Layer.effect(GridObjectsRepository, make)
}
