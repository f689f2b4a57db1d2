import type { Span } from "../../energy/quarterCells.ts"

/** A device of which nothing is computed from readings before an instant any more. */
export interface Freezing {
  readonly deviceId: string
  /** What was known of it: done in vain when it has changed since. */
  readonly newest: number
  readonly frozenBefore: number | null
  /** Before this the rollups are all there is. */
  readonly frozenUntil: number | null
  /** Which of the readings before the instant stay. */
  readonly kept: ReadonlyArray<Span>
}

/** Readings may be dropped for some time after they may no longer come, milliseconds. */
const SPARE = 3_600_000

/** From when readings are kept that are to be kept for so many days: months are dropped whole. */
export const keptFromOn = (now: number, days: number): number => {
  const date = new Date(now - days * 86_400_000 - SPARE)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
