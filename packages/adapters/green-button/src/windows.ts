import type { BatchMemory } from "./memory.ts"

export const DAY = 86_400_000

/** Utilities fill gaps and replace estimates for some days, so these are read again. */
const READ_AGAIN = 7 * DAY
/** How far back a meter without new data is read. */
const LONGEST_WAIT = 62 * DAY
/** A window begins earlier, so that the states of a register that meet at its border are both in it. */
const OVERLAP = 2 * DAY

const floorDay = (at: number) => Math.floor(at / DAY) * DAY
const ceilDay = (at: number) => Math.ceil(at / DAY) * DAY

interface Limits {
  readonly historyDays: number
  readonly windowDays: number
}

/** A batch before its history is read, also one with a meter that is new. */
export const beginHistory = (
  meters: ReadonlyArray<string>,
  now: number,
  { historyDays, windowDays }: Limits
): BatchMemory => ({
  meters,
  cursor: floorDay(now - historyDays * DAY),
  begunAt: now,
  windowDays,
  validator: null
})

export interface ReadWindow {
  /** Milliseconds since 1970, at the begin of days in UTC, so that the address is the same all day. */
  readonly from: number
  readonly to: number
  /** Whether nothing newer is left. */
  readonly isLast: boolean
}

export const nextWindow = ({ cursor, windowDays }: BatchMemory, now: number): ReadWindow => {
  const end = ceilDay(now)
  const to = Math.min(cursor + windowDays * DAY, end)
  return { from: cursor - OVERLAP, to, isLast: to >= end }
}

/** Half of the window, after a response that is too large; undefined for a window that cannot be smaller. */
export const smallerWindow = (batch: BatchMemory): BatchMemory | undefined =>
  batch.windowDays <= 1 ? undefined : { ...batch, windowDays: Math.max(1, Math.floor(batch.windowDays / 2)) }

/**
 * The batch after a window. The last window is read again from some days before the newest data on. While a meter has no data at all,
 * its history is asked for once more each day: a utility may need time to prepare it.
 *
 * @param newest The end of the newest data of each meter, milliseconds since 1970; undefined for a meter without data.
 */
export const afterWindow = (
  batch: BatchMemory,
  window: ReadWindow,
  newest: ReadonlyArray<number | undefined>,
  now: number,
  limits: Limits
): BatchMemory => {
  if (!window.isLast) return { ...batch, cursor: window.to }
  if (newest.includes(undefined) && now - batch.begunAt >= DAY) {
    return { ...beginHistory(batch.meters, now, limits), windowDays: batch.windowDays }
  }
  const last = newest.reduce<number>((end, one) => Math.min(end, one ?? end), now)
  return { ...batch, cursor: floorDay(Math.max(last - READ_AGAIN, now - LONGEST_WAIT)) }
}
