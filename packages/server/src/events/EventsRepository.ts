import { EVENT_VERSION, type Event, type EventData } from "@edp/domain/events/Event"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { isCuid } from "@edp/domain/shared/Cuid"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { issuedAt } from "../platform/Ids.ts"
import { EventPartitions } from "../platform/outbox/EventPartitions.ts"
import { conditions, type Counted, limited } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"

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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* EventPartitions
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(`id, sequence::float8 AS sequence, workspace_id AS "workspaceId", type,
    created_at AS "createdAt", payload, device_id AS "deviceId", reading_at AS "readingAt"`)

  const mostCounted = sql.literal(`LIMIT ${MOST_COUNTED}`)

  /** A range of time also bounds the sequences, so that the index by sequence serves it. */
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

  const part = (where: ReadonlyArray<Statement.Fragment>, { order, limit, offset }: EventRange) =>
    sql<EventRow>`SELECT ${columns} FROM events WHERE ${sql.and(where)}
      ORDER BY events.sequence ${sql.literal(`${order} LIMIT ${limit} OFFSET ${offset}`)}`

  /**
   * Reads the events of several types by one index scan per type and merges them. Each type is planned by itself, because a
   * plan for a frequent type would scan very far for a rare one.
   */
  const merged = (selection: EventSelection, types: ReadonlyArray<EventType>, asked: EventRange) => {
    const each = (type: EventType) =>
      part([...matching(selection), ...is("type", type), ...beyond(asked)], {
        ...asked,
        limit: asked.limit + asked.offset,
        offset: 0
      })
    return sql<EventRow>`SELECT events.* FROM (${sql.join(" UNION ALL ", false)(types.map((type) => sql`(${each(type)})`))}) AS events
      ORDER BY events.sequence ${sql.literal(`${asked.order} LIMIT ${asked.limit} OFFSET ${asked.offset}`)}`
  }

  const listed = (selection: EventSelection, asked: EventRange) => {
    const { deviceIds, siteIds, types } = selection
    const isLedByType = types !== undefined && types.length > 1 && deviceIds === undefined && siteIds === undefined
    return isLedByType
      ? merged(selection, types, asked)
      : part([...matching(selection), ...isAnyOf("type", types), ...beyond(asked)], asked)
  }

  return {
    /**
     * The sequence up to which all events are visible to a statement that begins after this one. Events of open transactions
     * have higher sequences.
     */
    settled: query(sql<{ readonly sequence: number }>`SELECT settled_event_sequence()::float8 AS sequence`).pipe(
      Effect.map(([row]) => row!.sequence)
    ),
    /**
     * The readings of events, for devices that belong to the workspace or did when the event happened. Each reading is looked
     * up by its key; OFFSET 0 keeps the planner from reading all readings of a device.
     */
    readings: (workspaceId: string, rows: ReadonlyArray<EventRow>) =>
      query(sql<EventReading>`SELECT wanted.id, wanted.device_id AS "deviceId", wanted.at, departed.data AS departed,
          coalesce(readings.state, (SELECT state FROM events WHERE created_at = wanted.created_at AND id = wanted.id)) AS state
        FROM unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.deviceId)}::text[],
          ${rows.map((row) => row.readingAt)}::timestamptz[], ${rows.map((row) => row.createdAt)}::timestamptz[],
          ${rows.map((row) => row.sequence)}::bigint[]) AS wanted (id, device_id, at, created_at, sequence)
        LEFT JOIN LATERAL (SELECT data FROM departed_devices
          WHERE workspace_id = ${workspaceId} AND device_id = wanted.device_id AND until_sequence >= wanted.sequence
          ORDER BY until_sequence LIMIT 1) AS departed ON true
        LEFT JOIN LATERAL (SELECT state FROM readings
          WHERE device_id = wanted.device_id AND at = wanted.at AND id = wanted.id OFFSET 0) AS readings ON true
        WHERE departed.data IS NOT NULL
          OR EXISTS (SELECT FROM devices WHERE id = wanted.device_id AND workspace_id = ${workspaceId})`),
    /** The newest events of a workspace, each row with the total that pages can reach. */
    newest: (workspaceId: string, limit: number, offset: number) =>
      query(sql<Counted<EventRow>>`SELECT ${columns}, (SELECT count(*)::int FROM
          (SELECT FROM events WHERE workspace_id = ${workspaceId} ${mostCounted}) AS counted) AS total
        FROM events WHERE workspace_id = ${workspaceId} ORDER BY events.sequence DESC ${limited(sql, limit, offset)}`),
    // Planned for these values: only then are partitions outside the range of time skipped.
    list: (selection: EventSelection, asked: EventRange) => query(listed(selection, asked).unprepared),
    /** At most the number that pages can reach. */
    count: (selection: EventSelection) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM (SELECT FROM events
          WHERE ${sql.and([...matching(selection), ...isAnyOf("type", selection.types)])} ${mostCounted}) AS counted`
          .unprepared
      ).pipe(Effect.map(([row]) => row!.n)),
    get: (workspaceId: string, id: string) =>
      isCuid(id)
        ? query(sql<EventRow>`SELECT ${columns} FROM events
            WHERE created_at = ${new Date(issuedAt(id))} AND id = ${id} AND workspace_id = ${workspaceId}`)
        : Effect.succeed([]),
    /** In any workspace. */
    byIds: (ids: ReadonlyArray<string>) =>
      query(sql<EventRow>`SELECT ${columns} FROM unnest(${ids}::text[], ${ids.map((id) => new Date(issuedAt(id)))}::timestamptz[])
          AS given (event_id, issued_at) CROSS JOIN LATERAL (
            SELECT * FROM events WHERE events.created_at = given.issued_at AND events.id = given.event_id) AS events`),
    dropBefore: partitions.dropBefore,
    /** Deletes a batch of devices that departed before a time, in milliseconds since 1970. Returns whether there may be more. */
    forgetDeparted: (before: number, limit: number) =>
      query(sql`DELETE FROM departed_devices WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM departed_devices WHERE departed_at < ${new Date(before)} LIMIT ${limit})) RETURNING 1`).pipe(
        Effect.map((gone) => gone.length === limit)
      )
  }
})

export class EventsRepository extends Context.Service<EventsRepository, Effect.Success<typeof make>>()(
  "@edp/server/EventsRepository"
) {
  static readonly layer = Layer.effect(EventsRepository, make).pipe(Layer.provide(EventPartitions.layer))
}

export interface EventRow {
  readonly id: string
  readonly sequence: number
  readonly workspaceId: string
  readonly type: EventType
  readonly createdAt: Date
  /** Null for an event that is rendered from a reading. */
  readonly payload: object | null
  /** The device and time of that reading; its id is the event's. */
  readonly deviceId: string | null
  readonly readingAt: Date | null
}

/** A device as it was when it left its workspace. */
export type DepartedDevice = EventData["DEVICE_DISCONNECTED"]

/** The reading of an event that has no payload. */
export interface EventReading {
  readonly id: string
  readonly deviceId: string
  readonly at: Date
  /** Null if the reading is no longer kept. */
  readonly state: object | null
  /** Null while the device belongs to the workspace. */
  readonly departed: DepartedDevice | null
}

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
