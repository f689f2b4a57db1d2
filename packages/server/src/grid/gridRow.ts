import {
  type GridConnection,
  type GridConnectionStatus,
  type GridNotifiedBy,
  gridNotificationSettings
} from "@edp/domain/grid/GridConnection"
import {
  type GridEvent,
  type GridEventStatus,
  type GridPayloadOutcome,
  type GridTimelineSegment,
  SHOWN_INTERVALS
} from "@edp/domain/grid/GridEvent"
import type { GridProgram, GridRule } from "@edp/domain/grid/GridProgram"
import { type GridReport, gridReportStatuses } from "@edp/domain/grid/GridReport"
import { timedIntervals } from "@edp/domain/openadr/intervalTimes"
import type { OpenAdrEvent, OpenAdrProgram } from "@edp/domain/openadr/OpenAdrObjects"
import type { ReportDescriptor, ValuesMap } from "@edp/domain/openadr/values"
import { Schema } from "effect"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { JsonColumn } from "../platform/sql/rows.ts"
import { payloadUnits } from "./plan/directives.ts"
import type { PlannedInterval } from "./plan/dispatchPlan.ts"

const text = Schema.String
const orNull = Schema.NullOr

export const ConnectionRow = Schema.Struct({
  id: text,
  workspaceId: text,
  name: text,
  vtnUrl: text,
  tokenUrl: orNull(text),
  clientId: orNull(text),
  sealedSecret: orNull(Schema.Uint8Array),
  venName: text,
  targets: Schema.Array(text),
  pollSeconds: Schema.Finite,
  enabled: Schema.Boolean,
  notifications: Schema.Literals(gridNotificationSettings),
  notifiedBy: orNull(text),
  notifiedAt: orNull(Schema.Date),
  notificationError: orNull(text),
  venId: orNull(text),
  pollAt: orNull(Schema.Date),
  lastPolledAt: orNull(Schema.Date),
  lastError: orNull(text),
  failingSince: orNull(Schema.Date),
  failures: Schema.Finite,
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type ConnectionRow = typeof ConnectionRow.Type

const ofNotifications = (expression: string) =>
  `(SELECT ${expression} FROM grid_notifications n WHERE n.grid_connection_id = grid_connections.id)`

/** Expressions of the columns of a connection that are not columns of its table. */
export const connectionExpressions = {
  venId: "remote_ven_id",
  notifiedBy: ofNotifications(`CASE n.mechanism
    WHEN 'webhook' THEN CASE WHEN n.subscribed_at IS NOT NULL THEN 'webhook' END
    WHEN 'mqtt' THEN CASE WHEN n.connected_at IS NOT NULL AND n.claim IS NOT NULL AND n.due_at > clock_timestamp() THEN 'mqtt' END
    END`),
  notifiedAt: ofNotifications("n.notified_at"),
  notificationError: ofNotifications("n.last_error")
}

/** A secret is sealed for its row, so that it can't be opened in another one. */
export const gridSecretPurpose = (id: string) => `grid connection secret ${id}`

const statusNow = ({ enabled, failingSince, lastPolledAt }: ConnectionRow): GridConnectionStatus => {
  if (!enabled) return "paused"
  if (failingSince !== null) return "failing"
  return lastPolledAt === null ? "connecting" : "connected"
}

export const toGridConnection = (row: ConnectionRow): GridConnection => ({
  id: row.id,
  name: row.name,
  vtnUrl: row.vtnUrl,
  tokenUrl: row.tokenUrl,
  clientId: row.clientId,
  venName: row.venName,
  targets: row.targets,
  pollSeconds: row.pollSeconds,
  enabled: row.enabled,
  notifications: row.notifications,
  notifiedBy: (row.enabled ? (row.notifiedBy ?? "none") : "none") as GridNotifiedBy,
  lastNotifiedAt: isoOrNull(row.notifiedAt),
  notificationError: row.notificationError,
  status: statusNow(row),
  venId: row.venId,
  lastPolledAt: isoOrNull(row.lastPolledAt),
  lastError: row.lastError,
  failingSince: isoOrNull(row.failingSince),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

export const ProgramRow = Schema.Struct({
  id: text,
  workspaceId: text,
  connectionId: text,
  connectionName: text,
  vtnProgramId: text,
  body: JsonColumn<OpenAdrProgram>(),
  programInstanceId: orNull(text),
  rules: JsonColumn<ReadonlyArray<GridRule>>(),
  removedAt: orNull(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type ProgramRow = typeof ProgramRow.Type

/** Expressions of the columns of a program that are not columns of its table. */
export const programExpressions = {
  connectionId: "grid_connection_id",
  connectionName: "(SELECT name FROM grid_connections WHERE id = grid_programs.grid_connection_id)",
  vtnProgramId: "remote_id"
}

type PayloadDescriptor = NonNullable<OpenAdrProgram["payloadDescriptors"]>[number]

const toDescriptor = (descriptor: PayloadDescriptor): GridProgram["payloadDescriptors"][number] => {
  const { payloadType, units = null } = descriptor
  return descriptor.objectType === "EVENT_PAYLOAD_DESCRIPTOR"
    ? { payloadType, of: "events", units, currency: descriptor.currency ?? null, readingType: null }
    : { payloadType, of: "reports", units, currency: null, readingType: descriptor.readingType ?? null }
}

export const toGridProgram = (row: ProgramRow): GridProgram => ({
  id: row.id,
  connectionId: row.connectionId,
  connectionName: row.connectionName,
  vtnProgramId: row.vtnProgramId,
  name: row.body.programName,
  descriptionUrls: (row.body.programDescriptions ?? []).map(({ URL }) => URL),
  payloadTypes: (row.body.payloadDescriptors ?? []).map(({ payloadType }) => payloadType),
  payloadDescriptors: (row.body.payloadDescriptors ?? []).map(toDescriptor),
  attributes: (row.body.attributes ?? []).map(({ type, values }) => ({ type, values })),
  programInstanceId: row.programInstanceId,
  rules: row.rules,
  removedAt: isoOrNull(row.removedAt),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

export const EventRow = Schema.Struct({
  id: text,
  workspaceId: text,
  connectionId: text,
  programId: text,
  vtnEventId: text,
  priority: orNull(Schema.Finite),
  body: JsonColumn<OpenAdrEvent>(),
  startsAt: orNull(Schema.Date),
  endsAt: orNull(Schema.Date),
  vtnCreatedAt: Schema.Date,
  vtnModifiedAt: Schema.Date,
  deletedAt: orNull(Schema.Date),
  outcomes: JsonColumn<ReadonlyArray<GridPayloadOutcome>>(),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type EventRow = typeof EventRow.Type

export const ListedEventRow = Schema.Struct({
  ...EventRow.fields,
  dispatchIds: Schema.Array(text),
  programDescriptors: orNull(JsonColumn<OpenAdrProgram["payloadDescriptors"]>())
})
export type ListedEventRow = typeof ListedEventRow.Type

/** The units of the payloads of an event: those that it states go before those of its program. */
export const eventUnits = (
  { body }: Pick<EventRow, "body">,
  descriptors: OpenAdrProgram["payloadDescriptors"]
): ReadonlyMap<string, string | null | undefined> =>
  payloadUnits(
    body.payloadDescriptors,
    (descriptors ?? []).flatMap((each) => (each.objectType === "EVENT_PAYLOAD_DESCRIPTOR" ? [each] : []))
  )

/** Payloads with the units of their values. */
export const withUnits = (
  payloads: ReadonlyArray<ValuesMap>,
  units: ReadonlyMap<string, string | null | undefined>
): GridTimelineSegment["payloads"] =>
  payloads.map(({ type, values }) => ({ type, values, units: units.get(type) ?? null }))

/** A start that means now is the time of the event's last change at the VTN, so that it stays where it is. */
export const eventIntervals = ({ body, vtnModifiedAt }: Pick<EventRow, "body" | "vtnModifiedAt">) =>
  timedIntervals(body, vtnModifiedAt.getTime())

const eventStatus = ({ deletedAt, endsAt, startsAt }: EventRow, now: Date): GridEventStatus => {
  if (deletedAt !== null) return "deleted"
  if (startsAt !== null && startsAt > now) return "upcoming"
  return endsAt !== null && endsAt <= now ? "ended" : "active"
}

const isoTime = (at: number) => new Date(at).toISOString()

export const toGridEvent = (row: ListedEventRow, now: Date): GridEvent => ({
  id: row.id,
  connectionId: row.connectionId,
  programId: row.programId,
  vtnEventId: row.vtnEventId,
  name: row.body.eventName ?? null,
  priority: row.priority,
  status: eventStatus(row, now),
  startsAt: isoOrNull(row.startsAt),
  endsAt: isoOrNull(row.endsAt),
  intervals: eventIntervals(row)
    .slice(0, SHOWN_INTERVALS)
    .map(({ end, payloads, start }) => ({
      startsAt: isoTime(start),
      endsAt: end === null ? null : isoTime(end),
      payloads: withUnits(payloads, eventUnits(row, row.programDescriptors))
    })),
  outcomes: row.outcomes,
  dispatchIds: row.dispatchIds,
  modifiedAt: iso(row.vtnModifiedAt),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

export const DispatchLinkRow = Schema.Struct({
  dispatchId: text,
  eventId: text,
  intervals: JsonColumn<ReadonlyArray<PlannedInterval>>()
})
export type DispatchLinkRow = typeof DispatchLinkRow.Type

/** An interval of a report; times are in milliseconds since 1970. */
export interface ReportedInterval {
  readonly id: number
  readonly start: number
  readonly end: number
}

export const ReportRow = Schema.Struct({
  id: text,
  workspaceId: text,
  connectionId: text,
  eventId: text,
  descriptor: JsonColumn<ReportDescriptor>(),
  position: Schema.Finite,
  intervals: JsonColumn<ReadonlyArray<ReportedInterval>>(),
  startsAt: Schema.Date,
  endsAt: Schema.Date,
  dueAt: Schema.Date,
  status: Schema.Literals(gridReportStatuses),
  detail: orNull(text),
  attempts: Schema.Finite,
  vtnReportId: orNull(text),
  sentAt: orNull(Schema.Date),
  createdAt: Schema.Date
})
export type ReportRow = typeof ReportRow.Type

export const toGridReport = (row: ReportRow): GridReport => ({
  id: row.id,
  connectionId: row.connectionId,
  eventId: row.eventId,
  payloadType: row.descriptor.payloadType,
  from: iso(row.startsAt),
  to: iso(row.endsAt),
  dueAt: iso(row.dueAt),
  status: row.status,
  detail: row.detail,
  attempts: row.attempts,
  vtnReportId: row.vtnReportId,
  sentAt: isoOrNull(row.sentAt),
  createdAt: iso(row.createdAt)
})
