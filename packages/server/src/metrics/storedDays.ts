import { QUARTER } from "../energy/quarterCells.ts"

/** Quarters of an hour of a day. */
export const QUARTERS = 96
export const DAY = QUARTERS * QUARTER

/** The UTC day of an instant, in days since 1970. */
export const dayOf = (at: number) => Math.floor(at / DAY)

/** A device's day of one quantity as it is stored: sums since the day's beginning, one a quarter of an hour. */
export interface DayRow {
  readonly deviceId: string
  readonly quantity: number
  readonly day: number
  /** µWh; of a charge the latest so far. */
  readonly amounts: ReadonlyArray<bigint | null>
  /** Milliseconds. */
  readonly covered: ReadonlyArray<number>
  /** Of a charge, the quarters in which it was told. */
  readonly latest: ReadonlyArray<number | null> | null
}

/** Days of one quantity of a device, in days since 1970, both included. */
export interface WantedDays {
  readonly deviceId: string
  readonly quantity: number
  readonly first: number
  readonly last: number
}

/** A place within a day: so many quarters of an hour after its beginning. */
export interface Cut {
  readonly day: number
  readonly quarters: number
}

/** What days hold, one after the other. */
export interface DayFigures {
  readonly amounts: ReadonlyArray<bigint | null>
  readonly covered: ReadonlyArray<number | null>
  /** Of a charge. */
  readonly latest: ReadonlyArray<number | null> | undefined
}

/** Days of a quantity of a device: the whole of each and, where any are cut, the part before the day's cut. */
export interface CutDays {
  readonly deviceId: string
  readonly quantity: number
  readonly days: ReadonlyArray<number>
  readonly whole: DayFigures
  readonly before: DayFigures | undefined
}
