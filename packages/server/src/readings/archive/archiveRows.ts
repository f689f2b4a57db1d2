import type { Span } from "../../energy/intervals.ts"
import type { ReadingText } from "../readingText.ts"

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
