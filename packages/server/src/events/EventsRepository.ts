import { EVENT_VERSION, type Event, type EventData } from "@edp/domain/events/Event"
import { EventType, eventTypes } from "@edp/domain/events/EventType"
import { isCuid } from "@edp/domain/shared/Cuid"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { deviceBelongsTo } from "../devices/deviceTable.ts"
import { departedDeviceTable } from "../devices/departedDeviceTable.ts"
import { issuedAt } from "../platform/Ids.ts"
import { whileAny } from "../platform/jobs/workWait.ts"
import { EventPartitions } from "../platform/outbox/EventPartitions.ts"
import { conditions, limited } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"
import { JsonColumn, countedRow, queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

/** A page of events between two sequences, both exclusive. */
export interface EventRange {
  readonly order: "ASC" | "DESC"
  readonly above?: number
  readonly below?: number
  readonly limit: number
  readonly offset: number
}

/**
 * An event gets its sequence within this time of its timestamp, in milliseconds: statements take less, and the clocks of
 * processes differ by less.
 */
const SLACK = 300_000

/** Lists have at most 1000 pages of 100; rows beyond are not counted. */
const MOST_COUNTED = 100_000

export const EventRow = Schema.Struct({
  id: Schema.String,
  sequence: Schema.Finite,
  workspaceId: Schema.String,
  type: EventType,
  createdAt: Schema.Date,
  /** Null for an event that is rendered from a reading. */
  payload: Schema.NullOr(JsonColumn<object>()),
  /** The device and time of that reading; its id is the event's. */
  deviceId: Schema.NullOr(Schema.String),
  readingAt: Schema.NullOr(Schema.Date)
})
export type EventRow = typeof EventRow.Type

const SequenceRow = Schema.Struct({ sequence: Schema.Finite })
const CountedEventRow = countedRow(EventRow)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* EventPartitions
  const { is, isAnyOf } = conditions(sql)
  const departed = departedDeviceTable(sql)
  const columns = sql.literal(selectList(EventRow, { sequence: "sequence::float8" }))

  const mostCounted = sql.literal(`LIMIT ${MOST_COUNTED}`)

  /** A range of time also bounds the sequences, so that the index by sequence can be used. */
  const between = ({ from, to }: EventSelection) => [
    ...(from === undefined
      ? []
      : [
          sql`created_at >= ${new Date(from)}`,
          sql`sequence > coalesce((SELECT sequence FROM events WHERE created_at < ${new Date(from - SLACK)}
            ORDER BY created_at DESC LIMIT 1), 0)`
        ]),
    ...(to === undefined
      ? []
      : [
          sql`created_at < ${new Date(to)}`,
          sql`sequence < coalesce((SELECT sequence FROM events WHERE created_at >= ${new Date(to + SLACK)}
            ORDER BY created_at LIMIT 1), 9223372036854775807)`
        ])
  ]

  /** All conditions except the type. */
  const matching = (selection: EventSelection) => [
    ...is("workspace_id", selection.workspaceId),
    ...isAnyOf("device_id", selection.deviceIds),
    ...isAnyOf("site_id", selection.siteIds),
    ...between(selection)
  ]

  const beyond = ({ above, below }: EventRange) => [
    ...(above === undefined ? [] : [sql`sequence > ${above}::bigint`]),
    ...(below === undefined ? [] : [sql`sequence < ${below}::bigint`])
  ]

  const page = (where: ReadonlyArray<Statement.Fragment>, { order, limit, offset }: EventRange) =>
    sql`SELECT ${columns} FROM events WHERE ${sql.and(where)}
      ORDER BY events.sequence ${sql.literal(`${order} LIMIT ${limit} OFFSET ${offset}`)}`

  /**
   * Reads the events of several types by one index scan per type and merges them. Each type is planned by itself, because a
   * plan for a frequent type would scan very far for a rare one.
   */
  const merged = (selection: EventSelection, types: ReadonlyArray<EventType>, range: EventRange) => {
    const each = (type: EventType) =>
      page([...matching(selection), ...is("type", type), ...beyond(range)], {
        ...range,
        limit: range.limit + range.offset,
        offset: 0
      })
    return sql`SELECT events.* FROM (${sql.join(" UNION ALL ", false)(types.map((type) => sql`(${each(type)})`))}) AS events
      ORDER BY events.sequence ${sql.literal(`${range.order} LIMIT ${range.limit} OFFSET ${range.offset}`)}`
  }

  const listed = (selection: EventSelection, range: EventRange) => {
    const { deviceIds, siteIds, types } = selection
    const isLedByType = types !== undefined && types.length > 1 && deviceIds === undefined && siteIds === undefined
    return isLedByType
      ? merged(selection, types, range)
      : page([...matching(selection), ...isAnyOf("type", types), ...beyond(range)], range)
  }

  return {
    /**
     * The sequence up to which all events are visible to a statement that begins after this one. Events of open transactions
     * have higher sequences.
     */
    settled: queryRows(SequenceRow)(sql`SELECT settled_event_sequence()::float8 AS sequence`).pipe(
      Effect.map(([row]) => row!.sequence)
    ),
    /** 0 while events of open transactions are still to become visible, else Infinity. */
    untilSettled: whileAny(
      sql,
      sql`SELECT FROM event_sequence WHERE is_called AND settled_event_sequence() < last_value`
    ),
    /**
     * The readings of events, for devices that belong to the workspace, or belonged to it at the time of the event. Each reading is looked
     * up by its key; OFFSET 0 keeps the planner from reading all readings of a device.
     */
    readings: (workspaceId: string, rows: ReadonlyArray<EventRow>) =>
      queryRows(
        EventReading
      )(sql`SELECT wanted.id, wanted.device_id AS "deviceId", wanted.at, departed.data AS departed,
          coalesce(readings.state, (SELECT state FROM events WHERE created_at = wanted.created_at AND id = wanted.id)) AS state
        FROM unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.deviceId)}::text[],
          ${rows.map((row) => row.readingAt)}::timestamptz[], ${rows.map((row) => row.createdAt)}::timestamptz[],
          ${rows.map((row) => row.sequence)}::bigint[]) AS wanted (id, device_id, at, created_at, sequence)
        LEFT JOIN LATERAL (${departed.departedAfter(workspaceId, "wanted.device_id", "wanted.sequence")}) AS departed ON true
        LEFT JOIN LATERAL (SELECT state FROM readings
          WHERE device_id = wanted.device_id AND at = wanted.at AND id = wanted.id OFFSET 0) AS readings ON true
        WHERE departed.data IS NOT NULL
          OR ${deviceBelongsTo(sql, workspaceId, "wanted.device_id")}`),
    /** The newest events of a workspace, each row with the total that pages can reach. */
    newest: (workspaceId: string, limit: number, offset: number) =>
      queryRows(CountedEventRow)(sql`SELECT ${columns}, (SELECT count(*)::int FROM
          (SELECT FROM events WHERE workspace_id = ${workspaceId} ${mostCounted}) AS counted) AS total
        FROM (SELECT * FROM events WHERE workspace_id = ${workspaceId}
          ORDER BY events.sequence DESC ${limited(sql, limit, offset)}) AS events ORDER BY events.sequence DESC`),
    // Planned for these values: only then are partitions outside the range of time skipped.
    list: (selection: EventSelection, range: EventRange) => queryRows(EventRow)(listed(selection, range).unprepared),
    /** At most the number that pages can reach. */
    count: (selection: EventSelection) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM (SELECT FROM events
          WHERE ${sql.and([...matching(selection), ...isAnyOf("type", selection.types)])} ${mostCounted}) AS counted`
          .unprepared
      ),
    get: (workspaceId: string, id: string) =>
      isCuid(id)
        ? queryRows(EventRow)(sql`SELECT ${columns} FROM events
            WHERE created_at = ${new Date(issuedAt(id))} AND id = ${id} AND workspace_id = ${workspaceId}`)
        : Effect.succeed([]),
    /** In any workspace. */
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(
        EventRow
      )(sql`SELECT ${columns} FROM unnest(${ids}::text[], ${ids.map((id) => new Date(issuedAt(id)))}::timestamptz[])
          AS given (event_id, issued_at) CROSS JOIN LATERAL (
            SELECT * FROM events WHERE events.created_at = given.issued_at AND events.id = given.event_id) AS events`),
    dropBefore: partitions.dropBefore,
    /** Deletes a batch of devices that departed before a time, in milliseconds since 1970. Returns whether there may be more. */
    forgetDeparted: (before: number, limit: number) =>
      query(departed.forget(new Date(before), limit)).pipe(Effect.map((gone) => gone.length === limit))
  }
})

export class EventsRepository extends Context.Service<EventsRepository, Effect.Success<typeof make>>()(
  "@edp/server/EventsRepository"
) {
  static readonly layer = Layer.effect(EventsRepository, make).pipe(Layer.provide(EventPartitions.layer))
}

/** A device as it was when it left its workspace. */
export type DepartedDevice = EventData["DEVICE_DISCONNECTED"]

/** The reading of an event that has no payload. */
export const EventReading = Schema.Struct({
  id: Schema.String,
  deviceId: Schema.String,
  at: Schema.Date,
  /** Null if the reading is no longer kept. */
  state: Schema.NullOr(JsonColumn<object>()),
  /** Null while the device belongs to the workspace. */
  departed: Schema.NullOr(JsonColumn<DepartedDevice>())
})
export type EventReading = typeof EventReading.Type

export const toEvent = ({ id, sequence, type, createdAt, workspaceId }: EventRow, data: object): Event =>
  ({
    id,
    sequence,
    type,
    version: EVENT_VERSION,
    timestamp: createdAt.toISOString(),
    workspaceId,
    data
  }) as Event

export interface EventQuery {
  readonly type?: ReadonlyArray<EventType>
  readonly deviceId?: ReadonlyArray<string>
  readonly siteId?: ReadonlyArray<string>
  readonly from?: string
  readonly to?: string
}

/** The filters of a list of events. */
export interface EventSelection {
  readonly workspaceId: string
  /** Undefined for any. */
  readonly types: ReadonlyArray<EventType> | undefined
  readonly deviceIds: ReadonlyArray<string> | undefined
  readonly siteIds: ReadonlyArray<string> | undefined
  /** Milliseconds since 1970. */
  readonly from: number | undefined
  readonly to: number | undefined
}

const instant = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text))

const distinct = (types: ReadonlyArray<EventType> | undefined) => {
  const wanted = new Set(types)
  return types === undefined || wanted.size === eventTypes.length ? undefined : [...wanted]
}

export const eventSelection = (workspaceId: string, query: EventQuery): EventSelection => ({
  workspaceId,
  types: distinct(query.type),
  deviceIds: query.deviceId,
  siteIds: query.siteId,
  from: instant(query.from),
  to: instant(query.to)
})

/** Whether every event of the workspace is selected. */
export const isWholeFeed = ({ types, deviceIds, siteIds, from, to }: EventSelection) =>
  [types, deviceIds, siteIds, from, to].every((condition) => condition === undefined)
