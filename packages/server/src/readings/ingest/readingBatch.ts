import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Address"
import { type Exit, Schema } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"

/**
 * A device's readings are rolled up when they span this much time; queries compute the rest from the readings. A longer
 * time saves writes, a shorter one saves reads.
 */
export const ROLL_AFTER = "1 hour"

/** Milliseconds by which a reading's time may be ahead of the service's clock. */
export const MOST_AHEAD = 5 * 60_000

/** A reading that is ready to be stored: its state is valid for the type of its device. */
export interface ResolvedReading {
  readonly deviceId: string
  readonly type: DeviceType
  /** It came by direct integration: it is stored only while its device is direct. */
  readonly isDirect?: boolean
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
  /** It came without a timestamp: its time is its arrival, or some milliseconds later where that time is taken. */
  readonly isUntimed?: boolean
  readonly id: string
  /** The state as JSON text, which is both stored and returned. */
  readonly state: string
  readonly reportedStatus: OnlineStatus | null
  readonly location: Coordinates | null
}

/** A device's newest reading. */
export const LatestState = Schema.Struct({
  id: Schema.String,
  at: Schema.Finite,
  /** The state as JSON text. */
  state: Schema.String
})
export type LatestState = typeof LatestState.Type

/** The readings of one statement. A device has one reading a millisecond: of several, the first is written. */
export interface ReadingBatch {
  /** A JSON array of rows; the row of a device's newest reading also has the fields of the current state. */
  readonly rows: string
  /** Ids of the readings that are not written. */
  readonly repeats: ReadonlySet<string>
  readonly newest: ReadonlyMap<string, ResolvedReading>
  /** The start of each month that has a reading, in milliseconds since 1970. */
  readonly months: ReadonlySet<number>
  /** A time on each day on which a reading arrived. */
  readonly arrivals: ReadonlySet<number>
}

/** The readings to write of one device. */
interface DeviceReadings {
  readonly readings: Array<ResolvedReading>
  newest: ResolvedReading
  first: number
  /** All their times, built when a reading is neither the first nor the last. */
  times?: Set<number>
}

const isRepeated = (span: DeviceReadings, at: number) => {
  if (at > span.newest.at || at < span.first) return false
  span.times ??= new Set(span.readings.map((reading) => reading.at))
  return span.times.has(at)
}

const split = (readings: ReadonlyArray<ResolvedReading>) => {
  const spans = new Map<string, DeviceReadings>()
  const repeats = new Set<string>()
  for (const reading of readings) {
    const { at } = reading
    const span = spans.get(reading.deviceId)
    if (span === undefined) spans.set(reading.deviceId, { readings: [reading], newest: reading, first: at })
    else if (isRepeated(span, at)) repeats.add(reading.id)
    else {
      span.readings.push(reading)
      span.times?.add(at)
      if (at > span.newest.at) span.newest = reading
      else if (at < span.first) span.first = at
    }
  }
  return { spans, repeats }
}

const listMonths = (spans: ReadonlyMap<string, DeviceReadings>) => {
  const months = new Set<number>()
  let from = Infinity
  let to = -Infinity
  for (const { readings } of spans.values()) {
    for (const { at } of readings) {
      if (at >= from && at < to) continue
      const date = new Date(at)
      from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
      to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
      months.add(from)
    }
  }
  return months
}

const DAY = 86_400_000

/** When a reading arrived, in milliseconds since 1970, by its id. */
type ArrivedAt = (id: string) => number

/** Events of new current states have the time at which the readings arrived. */
const listArrivalDays = (spans: ReadonlyMap<string, DeviceReadings>, arrivedAt: ArrivedAt) => {
  const days = new Set<number>()
  for (const { newest } of spans.values()) days.add(Math.floor(arrivedAt(newest.id) / DAY) * DAY)
  return days
}

const currentState = (
  { type, id, isDirect, reportedStatus, location }: ResolvedReading,
  first: number,
  arrivedAt: ArrivedAt
) => {
  const direct = isDirect === true ? `,"p":true` : ""
  const status = reportedStatus === null ? "" : `,"o":"${reportedStatus}"`
  const place = location === null ? "" : `,"y":${location.latitude},"x":${location.longitude}`
  return `,"t":"${type}","f":${first},"c":${arrivedAt(id)}${direct}${status}${place}`
}

// Concatenated because the state is JSON text already; ids need no escapes.
const formatRows = (
  spans: ReadonlyMap<string, DeviceReadings>,
  arrivedAt: ArrivedAt,
  archived: ReadonlyMap<string, ReadonlySet<number>>
) => {
  const rows: Array<string> = []
  for (const [deviceId, { readings, newest, first }] of spans) {
    const begin = `{"d":${JSON.stringify(deviceId)},"a":`
    for (const reading of readings) {
      const end = reading === newest ? currentState(newest, first, arrivedAt) : ""
      const untimed = reading.isUntimed === true ? `,"u":true` : ""
      const known = archived.get(deviceId)?.has(reading.at) === true ? `,"k":true` : ""
      rows.push(`${begin}${reading.at},"i":"${reading.id}","s":${reading.state}${untimed}${known}${end}}`)
    }
  }
  return `[${rows.join(",")}]`
}

/** `archived` are times of devices that are in the archive: readings with them are duplicates. */
export const readingBatch = (
  readings: ReadonlyArray<ResolvedReading>,
  arrivedAt: ArrivedAt,
  archived: ReadonlyMap<string, ReadonlySet<number>> = new Map()
): ReadingBatch => {
  const { spans, repeats } = split(readings)
  return {
    repeats,
    rows: formatRows(spans, arrivedAt, archived),
    newest: new Map(Array.from(spans, ([deviceId, { newest }]) => [deviceId, newest])),
    months: listMonths(spans),
    arrivals: listArrivalDays(spans, arrivedAt)
  }
}

/**
 * The outcome for a reading: it was stored; its device already has a reading of that time; its device belongs to no
 * workspace any more, or is no longer as it was when the reading was checked; the database refused it.
 */
export type Outcome = "stored" | "duplicate" | "gone" | "refused"

export interface Written {
  /** In the order of the readings. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The newest reading of a device of the batch. */
  readonly latest: (deviceId: string) => LatestState | undefined
}

/** The result of writing a batch. Lists that would name everything are null. */
export const BatchResponse = Schema.Struct({
  /** Ids of the readings that were stored, null when all were. */
  stored: Schema.NullOr(Schema.Array(Schema.String)),
  /** Ids of the devices that belong to a workspace and are as they were when the readings were checked, null when all are. */
  associated: Schema.NullOr(Schema.Array(Schema.String)),
  /** Current states that are not of the batch: the device had a newer reading, or already had this one. */
  elsewhere: Schema.NullOr(Schema.Array(Schema.Struct({ ...LatestState.fields, deviceId: Schema.String })))
})
export type BatchResponse = typeof BatchResponse.Type

/** Returns the outcomes of any readings of a batch. */
export const toWritten = ({ newest, repeats }: Pick<ReadingBatch, "newest" | "repeats">, response: BatchResponse) => {
  const stored = response.stored && new Set(response.stored)
  const associated = response.associated && new Set(response.associated)
  const elsewhere = new Map(response.elsewhere?.map((state) => [state.deviceId, state]))
  const latest = (deviceId: string) => elsewhere.get(deviceId) ?? newest.get(deviceId)
  const findOutcome = ({ id, deviceId }: ResolvedReading): Outcome => {
    if ((stored === null || stored.has(id)) && !repeats.has(id)) return "stored"
    return associated === null || associated.has(deviceId) ? "duplicate" : "gone"
  }
  const isWhole = stored === null && repeats.size === 0
  const outcomes = (readings: ReadonlyArray<ResolvedReading>): Written["outcomes"] =>
    isWhole ? readings.map(() => "stored") : readings.map(findOutcome)
  return (readings: ReadonlyArray<ResolvedReading>): Written => ({ outcomes: outcomes(readings), latest })
}

export const nothing: Written = { outcomes: [], latest: () => undefined }

export const refused: Written = { outcomes: ["refused"], latest: () => undefined }

export const joined = (before: Written, after: Written): Written => ({
  outcomes: [...before.outcomes, ...after.outcomes],
  latest: (deviceId) => after.latest(deviceId) ?? before.latest(deviceId)
})

/** The readings of one caller: all or none are stored or, if `separable`, whichever can be. */
export interface WriteRequest {
  readonly readings: ReadonlyArray<ResolvedReading>
  readonly separable: boolean
  /** Present if the response is committed together with the readings. */
  readonly pending?: unknown
}

export type WriteRequests = ReadonlyArray<WriteRequest>

const checkedAs = ({ isDirect, type }: ResolvedReading) => (isDirect === true ? `${type} direct` : type)

/**
 * Requests that one statement can store. It compares each device once with what the readings were checked against, so requests that
 * found the same device different, because it changed in between, are apart.
 */
export const storedTogether = (requests: WriteRequests): ReadonlyArray<WriteRequests> => {
  if (requests.length === 1) return [requests]
  const groups: Array<{ readonly devices: Map<string, string>; readonly requests: Array<WriteRequest> }> = []
  for (const request of requests) {
    const isAlike = ({ devices }: (typeof groups)[number]) =>
      request.readings.every((reading) => (devices.get(reading.deviceId) ?? checkedAs(reading)) === checkedAs(reading))
    let group = groups.find(isAlike)
    if (group === undefined) groups.push((group = { devices: new Map(), requests: [] }))
    group.requests.push(request)
    for (const reading of request.readings) group.devices.set(reading.deviceId, checkedAs(reading))
  }
  return groups.map((group) => group.requests)
}

export type Responses = (request: WriteRequest) => Exit.Exit<Written, DatabaseUnavailable>

/** The times at which devices already have readings, in milliseconds since 1970. */
export type TakenTimes = ReadonlyMap<string, ReadonlySet<number>>

/** More devices than this push within one millisecond only if the clock stands still. */
const MOST_REMEMBERED = 10_000

const isUntimed = ({ isUntimed: untimed }: ResolvedReading) => untimed === true

const collectTimes = (readings: ReadonlyArray<ResolvedReading>) => {
  const devices = new Map<string, Set<number>>()
  for (const reading of readings) if (isUntimed(reading)) devices.set(reading.deviceId, new Set())
  for (const reading of readings) if (!isUntimed(reading)) devices.get(reading.deviceId)?.add(reading.at)
  return devices
}

/**
 * Two readings without timestamps are two readings, even if they arrive in the same millisecond: each gets the first free
 * time from its arrival on. The last time of each device is remembered, so that the database is rarely asked which times
 * are free.
 */
export const arrivalTimes = () => {
  const last = new Map<string, number>()

  const forgetBefore = (now: number) => {
    if (last.size <= MOST_REMEMBERED) return
    for (const [deviceId, at] of last) if (at < now) last.delete(deviceId)
  }

  /** A time further ahead is of a clock that was set back since. */
  const lastBefore = (deviceId: string, limit: number) => {
    const at = last.get(deviceId) ?? Number.NEGATIVE_INFINITY
    return at < limit ? at : Number.NEGATIVE_INFINITY
  }

  return {
    /** The same readings; those without timestamps get times that are not taken. */
    settle: (readings: ReadonlyArray<ResolvedReading>, taken: TakenTimes): ReadonlyArray<ResolvedReading> => {
      if (!readings.some(isUntimed)) return readings
      const timed = collectTimes(readings)
      const next = new Map<string, number>()
      return readings.map((reading) => {
        if (!isUntimed(reading)) return reading
        const { deviceId } = reading
        let at = Math.max(reading.at, next.get(deviceId) ?? lastBefore(deviceId, reading.at + MOST_AHEAD) + 1)
        while (timed.get(deviceId)!.has(at) || taken.get(deviceId)?.has(at) === true) at++
        next.set(deviceId, at + 1)
        return at === reading.at ? reading : { ...reading, at }
      })
    },
    /** Remembers the times of stored readings; `arrived` are the same readings as they arrived. */
    remember: (settled: ReadonlyArray<ResolvedReading>, arrived: ReadonlyArray<ResolvedReading>) => {
      let now = Number.NEGATIVE_INFINITY
      for (const [place, reading] of settled.entries()) {
        if (!isUntimed(reading)) continue
        last.set(reading.deviceId, Math.max(reading.at, lastBefore(reading.deviceId, reading.at + MOST_AHEAD)))
        now = Math.max(now, arrived[place]!.at)
      }
      forgetBefore(now)
    }
  }
}

/** The first and last time of each device's readings without timestamps. */
export const untimedSpans = (readings: ReadonlyArray<ResolvedReading>) => {
  const spans = new Map<string, { readonly from: number; readonly to: number }>()
  for (const { at, deviceId } of readings.filter(isUntimed)) {
    const { from, to } = spans.get(deviceId) ?? { from: at, to: at }
    spans.set(deviceId, { from: Math.min(from, at), to: Math.max(to, at) })
  }
  return Array.from(spans, ([deviceId, span]) => ({ deviceId, ...span }))
}
