import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { Event } from "@edp/domain/events/Event"
import { makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import {
  type CursorList,
  type CursorPaging,
  decodeCursor,
  encodeCursor,
  refusePageWithCursor
} from "../platform/sql/lists.ts"
import {
  type EventQuery,
  type EventRow,
  type EventSelection,
  EventsRepository,
  eventSelection,
  isWholeFeed,
  type DepartedDevice,
  type EventReading,
  toEvent
} from "./EventsRepository.ts"
import type { Device } from "@edp/domain/devices/Device"
import { DeviceEvents } from "../devices/DeviceEvents.ts"
import { Devices } from "../devices/Devices.ts"
import { recordedState } from "../devices/deviceRow.ts"

/** The device with the state of the event's reading; without one if the reading is no longer kept. */
const withReading = (device: Device, { at, id, state }: EventReading) => {
  const time = at.toISOString()
  const known = "id" in device.state && device.state.id === id ? device.state : {}
  return { ...device, state: state === null ? known : recordedState(id, time, state), lastOnlineAt: time } as Device
}

const changed = ["state"]

/**
 * Makes the rendering of events. Events without a payload are rendered from a reading: its state, and the device, its customer and its
 * site as they are now, or as they were when the device left the workspace.
 */
const makeRender = Effect.gen(function* () {
  const repository = yield* EventsRepository
  const devices = yield* Devices
  const deviceEvents = yield* DeviceEvents

  const ofDeparted = (reading: EventReading, { device, ...place }: DepartedDevice) =>
    [reading.id, { device: withReading(device, reading), ...place, changed }] as const

  const ofPresent = Effect.fnUntraced(function* (
    workspaceId: string,
    readings: ReadonlyArray<EventReading>,
    deviceById: ReadonlyMap<string, Device>
  ) {
    const events = yield* deviceEvents.build(
      workspaceId,
      readings.map((reading) => ({
        type: "DEVICE_UPDATED",
        device: withReading(deviceById.get(reading.deviceId)!, reading),
        changed
      }))
    )
    return readings.map(({ id }, at) => [id, events[at]!.data] as const)
  })

  /** A device that is deleted meanwhile is looked up once more, among the departed ones. */
  const rendered = Effect.fnUntraced(function* (
    workspaceId: string,
    rows: ReadonlyArray<EventRow>,
    looks: number
  ): Effect.fn.Return<ReadonlyMap<string, object>, DatabaseUnavailable> {
    if (rows.length === 0) return new Map()
    const readings = yield* repository.readings(workspaceId, rows)
    const departed = readings.flatMap((reading) =>
      reading.departed === null ? [] : [ofDeparted(reading, reading.departed)]
    )
    const present = readings.filter((reading) => reading.departed === null)
    const loaded = yield* devices.load([...new Set(present.map(({ deviceId }) => deviceId))])
    const deviceById = new Map(loaded.map((device) => [device.id, device]))
    const found = present.filter(({ deviceId }) => deviceById.has(deviceId))
    const lost = new Set(present.filter(({ deviceId }) => !deviceById.has(deviceId)).map(({ id }) => id))
    const events = found.length === 0 ? [] : yield* ofPresent(workspaceId, found, deviceById)
    const again =
      looks > 1
        ? yield* rendered(
            workspaceId,
            rows.filter(({ id }) => lost.has(id)),
            looks - 1
          )
        : []
    return new Map([...departed, ...events, ...again])
  })

  return Effect.fnUntraced(function* (workspaceId: string, rows: ReadonlyArray<EventRow>) {
    const data = yield* rendered(
      workspaceId,
      rows.filter(({ payload }) => payload === null),
      2
    )
    return rows.flatMap((row): ReadonlyArray<Event> => {
      const payload = row.payload ?? data.get(row.id)
      return payload === undefined ? [] : [toEvent(row, payload)]
    })
  })
})

type Caller = CurrentKey["Service"]

interface Paging extends CursorPaging {
  readonly after?: number
}

/** The last event of a page. */
type Key = readonly [sequence: number]

const isKey = (key: unknown): key is Key => Array.isArray(key) && key.length === 1 && Number.isSafeInteger(key[0])

const nextCursor = (last: EventRow | undefined, more: boolean) =>
  more && last !== undefined ? encodeCursor([last.sequence]) : undefined

const refuseMixed = ({ after, cursor, page }: Paging) =>
  after !== undefined && (page !== undefined || cursor !== undefined)
    ? Effect.fail(invalid({ [page === undefined ? "cursor" : "page"]: "Must be absent with `after`" }))
    : Effect.void

/** The events of workspaces. */
export class Events extends Context.Service<
  Events,
  {
    readonly list: (
      caller: Caller,
      query: EventQuery & Paging
    ) => Effect.Effect<CursorList<Event>, ValidationError | DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Event, NotFound | DatabaseUnavailable>
    /** The sequence up to which all events are visible to every later statement. */
    readonly settled: Effect.Effect<number, DatabaseUnavailable>
    /** 0 while events of open transactions are still to become visible, else Infinity. */
    readonly untilSettled: Effect.Effect<number, DatabaseUnavailable>
    /** The events with these ids that can still be rendered, in any workspace. */
    readonly byIds: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Event>, DatabaseUnavailable>
  }
>()("@edp/server/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const repository = yield* EventsRepository
      const render = yield* makeRender

      /** An empty page means that there are no more events, so events that can no longer be rendered are skipped. */
      const follow = Effect.fnUntraced(function* (selection: EventSelection, after: number, perPage: number) {
        const settled = yield* repository.settled
        let data: ReadonlyArray<Event> = []
        for (let above = after; data.length === 0 && above < settled;) {
          const asked = { order: "ASC", above, below: settled + 1, limit: perPage, offset: 0 } as const
          const rows = yield* repository.list(selection, asked)
          data = yield* render(selection.workspaceId, rows)
          above = rows.length < perPage ? settled : rows.at(-1)!.sequence
        }
        return { body: { data, perPage }, next: undefined }
      })

      const walk = Effect.fnUntraced(function* (selection: EventSelection, [below]: Key, perPage: number) {
        const asked = { order: "DESC", below, limit: perPage + 1, offset: 0 } as const
        const found = yield* repository.list(selection, asked)
        const rows = found.slice(0, perPage)
        const data = yield* render(selection.workspaceId, rows)
        return { body: { data, perPage }, next: nextCursor(rows.at(-1), found.length > perPage) }
      })

      const foundAndCounted = Effect.fnUntraced(function* (selection: EventSelection, limit: number, offset: number) {
        if (isWholeFeed(selection)) {
          const rows = yield* repository.newest(selection.workspaceId, limit, offset)
          if (rows[0] !== undefined || offset === 0) return [rows, rows[0]?.total ?? 0] as const
        }
        const list = repository.list(selection, { order: "DESC", limit, offset })
        return yield* Effect.all([list, repository.count(selection)] as const, { concurrency: 2 })
      })

      const page = Effect.fnUntraced(function* (selection: EventSelection, { page = 1, perPage = 10 }: Paging) {
        const offset = (page - 1) * perPage
        const [found, counted] = yield* foundAndCounted(selection, perPage + 1, offset)
        const rows = found.slice(0, perPage)
        const data = yield* render(selection.workspaceId, rows)
        // Events may arrive between the count and the page.
        const total = found.length === 0 ? counted : Math.max(counted, offset + found.length)
        return { body: makePage(data, page, perPage, total), next: nextCursor(rows.at(-1), found.length > perPage) }
      })

      return {
        list: Effect.fn("Events.list")(function* (caller, query) {
          yield* refuseMixed(query)
          yield* refusePageWithCursor(query)
          const { after, cursor, perPage = 10 } = query
          const selection = eventSelection(caller.workspaceId, query)
          if (after !== undefined) return yield* follow(selection, after, perPage)
          if (cursor === undefined) return yield* page(selection, query)
          return yield* walk(selection, yield* decodeCursor(cursor, isKey), perPage)
        }),
        settled: repository.settled,
        untilSettled: repository.untilSettled,
        byIds: Effect.fn("Events.byIds")(function* (ids) {
          const byWorkspace = Map.groupBy(yield* repository.byIds(ids), ({ workspaceId }) => workspaceId)
          const events = yield* Effect.forEach(byWorkspace, ([workspaceId, rows]) => render(workspaceId, rows), {
            concurrency: 4
          })
          return new Map(events.flat().map((event) => [event.id, event] as const))
        }),
        get: Effect.fn("Events.get")(function* (caller, id) {
          const rows = yield* repository.get(caller.workspaceId, id)
          const [event] = yield* render(caller.workspaceId, rows)
          return event ?? (yield* new NotFound({}))
        })
      }
    })
  )
}

/** Events are kept this long, and then to the end of that day. */
const DAY = 24 * 60 * 60 * 1000
const KEPT = 30 * DAY
/** Departed devices that one statement deletes. */
const BATCH = 1000

/** Deletes events that are too old. */
export class EventRetention extends Context.Service<
  EventRetention,
  {
    /** Drops the partitions in which every event is too old. Returns their number. */
    readonly dropOld: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/EventRetention") {
  static readonly layer = Layer.effect(
    EventRetention,
    Effect.gen(function* () {
      const repository = yield* EventsRepository
      return {
        dropOld: Effect.gen(function* () {
          const before = (yield* Clock.currentTimeMillis) - KEPT
          const dropped = yield* repository.dropBefore(before)
          // Events of the oldest day that is kept still need the devices that departed on it.
          const forget = repository.forgetDeparted(before - DAY, BATCH)
          yield* Effect.repeat(forget, { while: (more) => more })
          return dropped
        }).pipe(Effect.withSpan("EventRetention.dropOld"))
      }
    })
  )
}
