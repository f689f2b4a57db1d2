import type { Span } from "../../energy/intervals.ts"

/** A device whose rollups will not be computed from readings before an instant any more. */
export interface SealingPlan {
  readonly deviceId: string
  /** The state on which the plan is based; the plan is discarded when it has changed. */
  readonly newest: number
  readonly sealedBefore: number | null
  /** Before this instant only the rollups remain. */
  readonly sealedUntil: number | null
  /** The readings before the instant that are kept. */
  readonly kept: ReadonlyArray<Span>
}

const DAY = 86_400_000

/** Readings are refused this long before they may be dropped, in milliseconds. */
const SPARE = 3_600_000

/** The start of the oldest month to keep when readings are kept for `days` days: months are dropped whole. */
export const keptFromOn = (now: number, days: number): number => {
  const date = new Date(now - days * DAY - SPARE)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the oldest day to keep where readings are removed by days. */
export const keptDayOn = (now: number, days: number): number => Math.floor((now - days * DAY - SPARE) / DAY) * DAY
