import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Coordinates"

/** A reading that only needs storing: its state is valid for the type of its device. */
export interface ResolvedReading {
  readonly deviceId: string
  readonly type: DeviceType
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
  readonly id: string
  /** The state as JSON text: made once, then stored and answered as it is. */
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

/** The readings of one statement. A device has one a millisecond: of several the first is offered. */
export interface ReadingBatch {
  /** A JSON array of rows; that of a device's newest reading also carries what its current state takes over. */
  readonly rows: string
  /** Ids of the readings that are not offered. */
  readonly repeats: ReadonlySet<string>
  readonly newest: ReadonlyMap<string, ResolvedReading>
  /** The first milliseconds of every month that a reading lies in. */
  readonly months: ReadonlySet<number>
  /** A time of every day on which one of them came in. */
  readonly arrivals: ReadonlySet<number>
}

interface Span {
  newest: ResolvedReading
  first: number
}

const split = (readings: ReadonlyArray<ResolvedReading>) => {
  const seen = new Set<string>()
  const offered: Array<ResolvedReading> = []
  const repeats = new Set<string>()
  for (const reading of readings) {
    const key = reading.deviceId + reading.at
    if (seen.has(key)) repeats.add(reading.id)
    else offered.push(reading)
    seen.add(key)
  }
  return { offered, repeats }
}

const spanOfEach = (readings: ReadonlyArray<ResolvedReading>) => {
  const spans = new Map<string, Span>()
  for (const reading of readings) {
    const span = spans.get(reading.deviceId)
    if (span === undefined) spans.set(reading.deviceId, { newest: reading, first: reading.at })
    else if (reading.at > span.newest.at) span.newest = reading
    else if (reading.at < span.first) span.first = reading.at
  }
  return spans
}

const monthsOf = (readings: ReadonlyArray<ResolvedReading>) => {
  const months = new Set<number>()
  let from = Infinity
  let to = -Infinity
  for (const { at } of readings) {
    if (at >= from && at < to) continue
    const date = new Date(at)
    from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    months.add(from)
  }
  return months
}

const DAY = 86_400_000

/** When a reading came in, in milliseconds since 1970, by its id. */
type ArrivedAt = (id: string) => number

/** New current states are told with the time at which they came in. */
const arrivalsOf = (spans: ReadonlyMap<string, Span>, arrivedAt: ArrivedAt) => {
  const days = new Set<number>()
  for (const { newest } of spans.values()) days.add(Math.floor(arrivedAt(newest.id) / DAY) * DAY)
  return days
}

// Written by hand because the state already is JSON.
const rowOf = (
  { deviceId, type, at, id, state, reportedStatus, location }: ResolvedReading,
  span: Span,
  arrivedAt: ArrivedAt
) => {
  const row = `{"d":${JSON.stringify(deviceId)},"a":${at},"i":${JSON.stringify(id)},"s":${state}`
  if (span.newest.id !== id) return `${row}}`
  const status = reportedStatus === null ? "" : `,"o":"${reportedStatus}"`
  const place = location === null ? "" : `,"y":${location.latitude},"x":${location.longitude}`
  return `${row},"t":"${type}","f":${span.first},"c":${arrivedAt(id)}${status}${place}}`
}

export const readingBatch = (readings: ReadonlyArray<ResolvedReading>, arrivedAt: ArrivedAt): ReadingBatch => {
  const { offered, repeats } = split(readings)
  const spans = spanOfEach(offered)
  return {
    repeats,
    rows: `[${offered.map((reading) => rowOf(reading, spans.get(reading.deviceId)!, arrivedAt)).join(",")}]`,
    newest: new Map(Array.from(spans, ([deviceId, { newest }]) => [deviceId, newest])),
    months: monthsOf(offered),
    arrivals: arrivalsOf(spans, arrivedAt)
  }
}
