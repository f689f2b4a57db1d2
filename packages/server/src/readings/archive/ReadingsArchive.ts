import { Context, type Effect } from "effect"
import type { Span } from "../../energy/intervals.ts"
import type { Order, ReadingText } from "../history/historyPage.ts"
import type { ArchiveUnavailable } from "./ArchiveUnavailable.ts"

/** A reading as it is archived. */
export interface ArchivedReading extends ReadingText {
  readonly deviceId: string
}

/** A device at an instant, in milliseconds since 1970. */
export interface ReadingKey {
  readonly deviceId: string
  readonly at: number
}

/** The readings of a device on a UTC day, as `2026-03-01`. The checksum is the sum of hashes, modulo 2⁶⁴, in decimal digits. */
export interface DayDigest {
  readonly deviceId: string
  readonly day: string
  readonly readings: number
  readonly checksum: string
}

/** A search for the nearest reading with a number in a field. */
export interface FieldSearch extends Span {
  readonly deviceId: string
  readonly field: string
}

/** The time of a reading and its state as JSON. */
export type TimedState = readonly [at: number, state: string]

/** The neighbours of a span, and its first readings in the order of time. */
export interface SpanStates {
  readonly before: TimedState | undefined
  readonly within: ReadonlyArray<TimedState>
  readonly after: TimedState | undefined
}

type Archived<A> = Effect.Effect<A, ArchiveUnavailable>

/** Where readings of the past are kept. A device has one reading at a time there, whatever is stored twice. */
export class ReadingsArchive extends Context.Service<
  ReadingsArchive,
  {
    /** Whether readings can be moved there. */
    readonly isConfigured: boolean
    /** Makes the tables unless they exist. */
    readonly prepare: Archived<void>
    readonly page: (
      deviceId: string,
      span: Span,
      order: Order,
      limit: number,
      offset: number
    ) => Archived<ReadonlyArray<ReadingText>>
    readonly times: (deviceId: string, span: Span, order: Order, limit: number) => Archived<ReadonlyArray<number>>
    readonly count: (deviceId: string, span: Span) => Archived<number>
    /** The number of readings in each hour that has any, by its start. */
    readonly countHours: (deviceId: string, span: Span) => Archived<ReadonlyMap<number, number>>
    /** The readings at these times. */
    readonly find: (keys: ReadonlyArray<ReadingKey>) => Archived<ReadonlyArray<ArchivedReading>>
    /** For each span: its neighbours, and its first readings. No reading is from `until` on. */
    readonly spans: (
      wanted: ReadonlyArray<Span & { readonly deviceId: string }>,
      limit: number,
      until: number
    ) => Archived<ReadonlyArray<SpanStates>>
    /** For each search: the last reading in its span, or the first one. */
    readonly nearest: (
      wanted: ReadonlyArray<FieldSearch>,
      which: "first" | "last"
    ) => Archived<ReadonlyArray<TimedState | undefined>>
    /** The first reading of each device from an instant on and before another one. */
    readonly firstTimes: (deviceIds: ReadonlyArray<string>, span: Span) => Archived<ReadonlyMap<string, number>>
    /** The last reading of each device in a span, and the last one with a number in each of its fields. */
    readonly lastStates: (
      deviceIds: ReadonlyArray<string>,
      span: Span
    ) => Archived<ReadonlyArray<ReadingKey & { readonly state: string }>>
    /** Stores a block of readings of one month, sorted by device and time. Can be repeated. */
    readonly store: (readings: ReadonlyArray<ArchivedReading>) => Archived<void>
    /** Counts and checksums of the devices after one and up to another, by device and day. */
    readonly digests: (span: Span, after: string, until: string) => Archived<ReadonlyArray<DayDigest>>
    /** Deletes all readings of the devices, or those of a span. Returns when they are gone. */
    readonly remove: (deviceIds: ReadonlyArray<string>, span?: Span) => Archived<void>
    /** Drops the readings of all months before an instant, which begins a month. */
    readonly dropBefore: (at: number) => Archived<void>
  }
>()("@edp/server/readings/ReadingsArchive") {}
