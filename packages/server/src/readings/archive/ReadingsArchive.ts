import { Context, type Effect } from "effect"
import type { Span } from "../../energy/intervals.ts"
import type { Order, ReadingText } from "../readingText.ts"
import type { ArchivedReading, DayDigest, FieldSearch, ReadingKey, SpanStates, TimedState } from "./archiveRows.ts"
import type { ArchiveUnavailable } from "./ArchiveUnavailable.ts"

type Archived<A> = Effect.Effect<A, ArchiveUnavailable>

/** The store of readings of the past. A device has one reading at a time there, whatever is stored twice. */
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
