import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { Exit } from "effect"

/**
 * A device's readings are rolled up when they span this much time; queries compute the rest from the readings. A longer
 * time saves writes, a shorter one saves reads.
 */
export const ROLL_AFTER = "1 hour"

/** A reading that is ready to be stored: its state is valid for the type of its device. */
export interface ResolvedReading {
  readonly deviceId: string
  readonly type: DeviceType
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
export interface LatestState {
  readonly id: string
  readonly at: number
  /** The state as JSON text. */
  readonly state: string
}

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

const currentState = ({ type, id, reportedStatus, location }: ResolvedReading, first: number, arrivedAt: ArrivedAt) => {
  const status = reportedStatus === null ? "" : `,"o":"${reportedStatus}"`
  const place = location === null ? "" : `,"y":${location.latitude},"x":${location.longitude}`
  return `,"t":"${type}","f":${first},"c":${arrivedAt(id)}${status}${place}`
}

// Concatenated because the state is JSON text already; ids need no escapes.
const formatRows = (spans: ReadonlyMap<string, DeviceReadings>, arrivedAt: ArrivedAt) => {
  const rows: Array<string> = []
  for (const [deviceId, { readings, newest, first }] of spans) {
    const begin = `{"d":${JSON.stringify(deviceId)},"a":`
    for (const reading of readings) {
      const end = reading === newest ? currentState(newest, first, arrivedAt) : ""
      const untimed = reading.isUntimed === true ? `,"u":true` : ""
      rows.push(`${begin}${reading.at},"i":"${reading.id}","s":${reading.state}${untimed}${end}}`)
    }
  }
  return `[${rows.join(",")}]`
}

export const readingBatch = (readings: ReadonlyArray<ResolvedReading>, arrivedAt: ArrivedAt): ReadingBatch => {
  const { spans, repeats } = split(readings)
  return {
    repeats,
    rows: formatRows(spans, arrivedAt),
    newest: new Map(Array.from(spans, ([deviceId, { newest }]) => [deviceId, newest])),
    months: listMonths(spans),
    arrivals: listArrivalDays(spans, arrivedAt)
  }
}

/**
 * The outcome for a reading: it was stored; its device already has a reading of that time; its device belongs to no
 * workspace any more; the database refused it.
 */
export type Outcome = "stored" | "duplicate" | "gone" | "refused"

export interface Written {
  /** In the order of the readings. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The newest reading of a device of the batch. */
  readonly latest: (deviceId: string) => LatestState | undefined
}

/** The result of writing a batch. Lists that would name everything are null. */
export interface BatchAnswer {
  /** Ids of the readings that were stored, null when all were. */
  readonly stored: ReadonlyArray<string> | null
  /** Ids of the devices that belong to a workspace, null when all do. */
  readonly associated: ReadonlyArray<string> | null
  /** Current states that are not of the batch: the device had a newer reading, or already had this one. */
  readonly elsewhere: ReadonlyArray<LatestState & { readonly deviceId: string }> | null
}

/** Returns the outcomes of any readings of a batch. */
export const toWritten = ({ newest, repeats }: Pick<ReadingBatch, "newest" | "repeats">, answer: BatchAnswer) => {
  const stored = answer.stored && new Set(answer.stored)
  const associated = answer.associated && new Set(answer.associated)
  const elsewhere = new Map(answer.elsewhere?.map((state) => [state.deviceId, state]))
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
export type Answers = (request: WriteRequest) => Exit.Exit<Written>
