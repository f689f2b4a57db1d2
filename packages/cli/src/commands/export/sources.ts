import { streamRecords } from "@edp/domain/client/streamRecords"
import { PAGED_DEVICES } from "@edp/domain/telemetry/ReadingPagesApi"
import { Effect, Stream } from "effect"
import { Connection, request } from "../../kernel/Connection.ts"

/** The time and the devices of an export. */
export interface Selection {
  readonly from: string
  readonly to: string
  readonly siteId: ReadonlyArray<string>
  readonly customerId: ReadonlyArray<string>
  readonly collectionId: ReadonlyArray<string>
}

/** Rows, and where to go on after them; no place after the last ones. */
export interface Page {
  readonly rows: ReadonlyArray<object>
  readonly next: Position | undefined
}

/** The place at which an export goes on; it is stored beside the file. */
export type Position = Readonly<Record<string, string | number>>

/** Retries of each call, which outlast a restart of the service. */
const retries = 10
const perPage = 100

const isWhole = ({ collectionId, customerId, siteId }: Selection) =>
  siteId.length + customerId.length + collectionId.length === 0

const filled = (lists: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

/** The selected devices by their ids, with what a row of a reading says of them. */
const selectDevices = ({ collectionId, customerId, siteId }: Selection) =>
  streamRecords((position) =>
    request("devices", "list", { query: { ...filled({ siteId, customerId, collectionId }), ...position } as never })
  ).pipe(
    Stream.map(({ id, siteId, type }) => [id, { deviceType: type, siteId }] as const),
    Stream.runCollect,
    Effect.map((found) => new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))))
  )

const lastPage: Page = { rows: [], next: undefined }

/** Readings of a hundred devices at a time. A device that joins meanwhile is in the order of ids, so that none is repeated. */
const readings = Effect.fnUntraced(function* (selection: Selection) {
  const call = yield* (yield* Connection).endpoint("readingPages", "read", { retries })
  const devices = yield* selectDevices(selection)
  const ids = [...devices.keys()]
  return (place: Position | undefined) =>
    Effect.gen(function* () {
      const after =
        place?.["timestamp"] === undefined
          ? undefined
          : { deviceId: String(place["deviceId"]), timestamp: String(place["timestamp"]) }
      const since = place === undefined ? "" : String(place["deviceId"])
      const deviceIds = ids.filter((id) => (after === undefined ? id > since : id >= since)).slice(0, PAGED_DEVICES)
      if (deviceIds.length === 0) return lastPage
      const { from, to } = selection
      const page = yield* call({ payload: { deviceIds, from, to, ...(after && { after }) } })
      const rows = page.readings.map(({ deviceId, id, state, timestamp }) => ({
        timestamp,
        deviceId,
        ...devices.get(deviceId),
        id,
        ...(state as object)
      }))
      const last = page.readings.at(-1)
      const next: Position = page.more
        ? { deviceId: last!.deviceId, timestamp: last!.timestamp }
        : { deviceId: deviceIds.at(-1)! }
      return { rows, next }
    })
})

const events = Effect.fnUntraced(function* (selection: Selection) {
  const call = yield* (yield* Connection).endpoint("events", "list", { retries })
  const { customerId, collectionId, from, siteId, to } = selection
  // Sites are a filter of the list itself, which finds events from when a device was there.
  const chosen = customerId.length + collectionId.length === 0 ? undefined : yield* selectDevices(selection)
  return (place: Position | undefined) =>
    Effect.gen(function* () {
      const after = Number(place?.["sequence"] ?? 0)
      const { data } = yield* call({ query: { after, from, to, perPage, ...filled({ siteId }) } })
      const rows = data.filter(({ data: of }) => {
        if (chosen === undefined) return true
        const { alert, command, device } = of as unknown as Readonly<
          Record<string, Readonly<Record<string, string>> | undefined>
        >
        return chosen.has(device?.["id"] ?? command?.["deviceId"] ?? alert?.["deviceId"] ?? "")
      })
      const last = data.at(-1)
      return { rows, next: data.length < perPage || last === undefined ? undefined : { sequence: last.sequence } }
    })
})

const commands = Effect.fnUntraced(function* (selection: Selection) {
  const call = yield* (yield* Connection).endpoint("commands", "list", { retries })
  const chosen = isWhole(selection) ? undefined : yield* selectDevices(selection)
  const { from, to } = selection
  return (place: Position | undefined) =>
    Effect.gen(function* () {
      const cursor = place?.["cursor"]
      const { data, nextCursor } = yield* call({
        query: { from, to, perPage, ...(cursor !== undefined && { cursor: String(cursor) }) }
      })
      const rows = chosen === undefined ? data : data.filter(({ deviceId }) => chosen.has(deviceId))
      return { rows, next: nextCursor === undefined ? undefined : { cursor: nextCursor } }
    })
})

export const sources = { readings, events, commands }
