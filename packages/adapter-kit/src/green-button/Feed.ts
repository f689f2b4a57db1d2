import type { ElementProblem } from "./FeedProblem.ts"
import type { ReadingColumns } from "./ReadingColumns.ts"

/** The links by which the entries of a feed refer to each other. */
export interface EntryLinks {
  readonly line: number
  id: string
  title: string
  self: string
  up: string
  readonly related: Array<string>
}

/** The numbers of a ReadingType by the names of their elements. */
export type ReadingTypeFields = Readonly<Record<string, number>>

export interface Block {
  readonly entry: EntryLinks
  readonly line: number
  /** Seconds since 1970; NaN without an interval. */
  start: number
  /** Its readings in the columns; `to` is exclusive. */
  readonly from: number
  to: number
}

export interface Feed {
  readonly usagePoints: Array<{ readonly entry: EntryLinks; service: number }>
  readonly meterReadings: Array<{ readonly entry: EntryLinks; type?: ReadingTypeFields }>
  readonly readingTypes: Array<{ readonly entry: EntryLinks; readonly fields: ReadingTypeFields }>
  readonly blocks: Array<Block>
  readonly readings: ReadingColumns
  /** Whether there are entries of customers and their accounts. */
  customers: boolean
  /** Invalid values; the first ones, and the number of all. */
  readonly problems: Array<ElementProblem>
  problemCount: number
}
