import { bucketBounds } from "../energy/bucketBounds.ts"
import { QUARTER, type Span } from "../energy/intervals.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { DAY, dayIndex } from "./storedDays.ts"

const HOUR = 4 * QUARTER

/**
 * How the sums of a day are kept: by the quarter of a UTC day; or for a metric whose latest value counts, by the quarter of the local day
 * that has its noon there, of which each has the latest values from its beginning to the end of the local hour or day.
 */
export const steps = ["quarter", "hour", "day"] as const
export type Step = (typeof steps)[number]

/** The sums of a block: as of when they are, of which days, and the first quarter that readings have changed since. */
interface SummedBlock {
  readonly asOf: number | null
  readonly days: ReadonlyArray<number>
  readonly changedFrom: number | null
}

/** The row and element that have the sum of a bucket. */
export interface KeptAt {
  readonly step: Step
  readonly day: number
  readonly position: number
}

/** Days back from now with which the longer time frames of queries begin. */
const frames = [30, 90, 365]

/** The UTC days of which recent energy is kept, the latest first. The beginnings of the longer time frames are among them. */
export const daysToKeep = (now: number): ReadonlyArray<number> => {
  const today = dayIndex(now)
  const recent = Array.from({ length: rollupLimits.recentDays + 1 }, (_, n) => today - n)
  return [...recent, ...frames.flatMap((frame) => [today - frame + 1, today - frame, today - frame - 1])]
}

/** The days of the next pass: those that are kept, the present one and the one before, and one more at a time. */
export const daysOfPass = (now: number, kept: ReadonlyArray<number>): ReadonlyArray<number> => {
  const wanted = daysToKeep(now)
  const known = wanted.filter((day, n) => n < 2 || kept.includes(day))
  const next = kept.length === 0 ? undefined : wanted.find((day) => !known.includes(day))
  return next === undefined ? known : [...known, next]
}

/** Whether the sums of a block must be made anew: for other devices, or because it is not known what has changed since. */
export const isAnew = ({ asOf, changedFrom }: SummedBlock, now: number) =>
  asOf === null || asOf > now || (changedFrom !== null && asOf < now - (rollupLimits.alteredSeconds - 180) * 1000)

/** The spans of a block's sums that are to be computed, by day: none for a block that has not changed. */
export const changedDays = (
  block: SummedBlock,
  days: ReadonlyArray<number>,
  now: number
): ReadonlyArray<Span & { readonly day: number }> => {
  const all = isAnew(block, now)
  return days.flatMap((day) => {
    const end = Math.min((day + 1) * DAY, now)
    const changed = block.changedFrom === null ? end : Math.floor(block.changedFrom / QUARTER) * QUARTER
    const from = all || !block.days.includes(day) ? day * DAY : Math.max(day * DAY, changed)
    return from < end ? [{ day, from, to: end }] : []
  })
}

/** The bounds of the quarters of a span, from the beginning of the first one. */
export const quarterBounds = ({ from, to }: Span): ReadonlyArray<number> => {
  const bounds: Array<number> = []
  for (let at = Math.floor(from / QUARTER) * QUARTER; at < to; at += QUARTER) bounds.push(at)
  return [...bounds, to]
}

/** Local days that overlap days, each under the UTC day of its noon. The last one ends now. */
export const localDays = (
  days: ReadonlyArray<number>,
  timezone: string,
  now: number
): ReadonlyArray<Span & { readonly day: number }> => {
  if (days.length === 0) return []
  const span = { from: (Math.min(...days) - 2) * DAY, to: now + 2 * DAY }
  const starts = (bucketBounds("day", span, timezone) ?? []).slice(1, -1)
  const known = new Set(days)
  return starts.slice(0, -1).flatMap((from, n) => {
    const to = Math.min(starts[n + 1]!, now)
    const isKnown = from < to && known.has(dayIndex(from)) && known.has(dayIndex(to - 1))
    return isKnown ? [{ day: dayIndex(from + DAY / 2), from, to }] : []
  })
}

/** The row and element of the latest values in a bucket of several quarters, which must be a local hour or day or end with one. */
export const findLatest = (
  { from, to }: Span,
  { asOf, days, timezone }: { readonly asOf: number; readonly days: ReadonlySet<number>; readonly timezone: string }
): KeptAt | undefined => {
  const nearby = [-1, 0, 1].map((offset) => dayIndex(from) + offset).filter((day) => days.has(day))
  const local = localDays(nearby, timezone, asOf).find((day) => day.from <= from && from < day.to)
  if (local === undefined) return undefined
  const end = Math.min(to, asOf)
  const hourEnd = local.from + (Math.floor((from - local.from) / HOUR) + 1) * HOUR
  const step = end === Math.min(hourEnd, local.to) ? "hour" : end === local.to ? "day" : undefined
  return step === undefined ? undefined : { step, day: local.day, position: (from - local.from) / QUARTER }
}

/** Adds the latest values of a device from each quarter of a local day on, to the end of the hour and to that of the day. */
export const addLatest = (
  sums: Readonly<Record<"hour" | "day", Array<bigint | null>>>,
  quarters: ReadonlyArray<bigint | null>
) => {
  const latest: Record<"hour" | "day", bigint | null> = { hour: null, day: null }
  for (let n = quarters.length - 1; n >= 0; n--) {
    if (((n + 1) * QUARTER) % HOUR === 0) latest.hour = null
    for (const step of ["hour", "day"] as const) {
      latest[step] ??= quarters[n]!
      if (latest[step] !== null) sums[step][n] = (sums[step][n] ?? 0n) + latest[step]
    }
  }
}
