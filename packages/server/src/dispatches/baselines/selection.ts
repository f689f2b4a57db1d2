import type { BaselineMethod } from "@edp/domain/dispatches/Dispatch"
import type { BaselineDay, LeftOutDay } from "@edp/domain/dispatches/DispatchReport"
import type { Span } from "../../energy/intervals.ts"
import type { DayNumber, DayType } from "./holidays.ts"
import { LEAST_COVERAGE, type Series, type Sum, knownAmounts, lengthInMs, sumKnown } from "./series.ts"

/** Methods that are computed from like days. */
export type DayMethod = Exclude<BaselineMethod, "hold-out" | "meter-before">

/** The least number of usable days. */
export const LEAST_DAYS = 3

export interface MeasuredDay {
  readonly day: DayNumber
  readonly window: Series
  /** The hours of the same-day adjustment. */
  readonly before: Series
  /** The rest of the day, for the methods that compare it. */
  readonly rest: Series
}

export type LeftOutReason = (typeof LeftOutDay.Type)["reason"]

export interface LeftOut {
  readonly day: DayNumber
  readonly reason: LeftOutReason
}

/** The intervals of a dispatch, and what was measured on its day. */
export interface Event {
  readonly window: ReadonlyArray<Span>
  readonly rest: ReadonlyArray<Span>
  readonly restMeasured: Series
}

export interface Selection {
  readonly used: ReadonlyArray<MeasuredDay>
  readonly leftOut: ReadonlyArray<LeftOut>
}

interface Method {
  /** The number of usable days that are sought, the latest first. */
  readonly wanted: (type: DayType, parameters: { readonly x?: number; readonly y?: number }) => number
  readonly select: (days: ReadonlyArray<MeasuredDay>, event: Event, count: number) => Selection
}

const all = (days: ReadonlyArray<MeasuredDay>): Selection => ({ used: days, leftOut: [] })

const meanUse = ({ window }: MeasuredDay, { window: intervals }: Event) =>
  sumKnown(knownAmounts(window, intervals), intervals)

/** Compares mean powers exactly: the higher one comes first. */
const higherFirst = (one: Sum, other: Sum) => {
  const difference = other.amount * BigInt(one.time) - one.amount * BigInt(other.time)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The days from the highest to the lowest mean use in the window; of equal ones the latest first. */
const ranked = (days: ReadonlyArray<MeasuredDay>, event: Event) => {
  const uses = new Map(days.map((day) => [day, meanUse(day, event)]))
  return days.toSorted((one, other) => higherFirst(uses.get(one)!, uses.get(other)!) || other.day - one.day)
}

/** Keeps the order of the days, the latest first. */
const keep = (
  days: ReadonlyArray<MeasuredDay>,
  kept: ReadonlySet<MeasuredDay>,
  reasonFor: (day: MeasuredDay) => LeftOutReason
): Selection => ({
  used: days.filter((day) => kept.has(day)),
  leftOut: days.filter((day) => !kept.has(day)).map((each) => ({ day: each.day, reason: reasonFor(each) }))
})

const highest = (days: ReadonlyArray<MeasuredDay>, event: Event, count: number) =>
  keep(days, new Set(ranked(days, event).slice(0, count)), () => "not_among_the_highest")

const middle = (days: ReadonlyArray<MeasuredDay>, event: Event) => {
  const sorted = ranked(days, event)
  return keep(days, new Set(sorted.slice(1, -1)), (day) => (day === sorted[0] ? "highest" : "lowest"))
}

/**
 * The root mean square of the difference in power over the rest of the day, weighted by time; undefined if less than 0.9 of it can
 * be compared.
 */
export const unlikeness = (day: MeasuredDay, { rest, restMeasured }: Event): number | undefined => {
  const [there, here] = [knownAmounts(day.rest, rest), knownAmounts(restMeasured, rest)]
  let [squares, time, whole] = [0, 0, 0]
  for (const [index, interval] of rest.entries()) {
    const length = lengthInMs(interval)
    whole += length
    const [one, other] = [there[index]!, here[index]!]
    if (one === null || other === null) continue
    squares += Number(one - other) ** 2 / length
    time += length
  }
  if (time < LEAST_COVERAGE * whole) return undefined
  return time === 0 ? 0 : Math.sqrt(squares / time)
}

const mostAlike = (days: ReadonlyArray<MeasuredDay>, event: Event): Selection => {
  const compared = new Map(days.map((day) => [day, unlikeness(day, event)]))
  const comparable = days.filter((day) => compared.get(day) !== undefined)
  const sorted = comparable.toSorted((one, other) => compared.get(one)! - compared.get(other)! || other.day - one.day)
  return keep(days, new Set(sorted.slice(0, LEAST_DAYS)), (day) =>
    compared.get(day) === undefined ? "low_coverage" : "less_alike"
  )
}

const defaultDays = { weekday: { x: 5, y: 10 }, weekend: { x: 3, y: 5 } } as const

const highestCount = (type: DayType, { x }: { readonly x?: number }) => x ?? defaultDays[type].x

/**
 * How the days of each method are chosen from the usable like days, the latest first. All are of NAESB's kind "Baseline Type-I"
 * (WEQ-015): computed from the history of the same site's interval meter.
 *
 * - x-of-y: the x with the highest mean use in the window of the latest y, as NYISO's "Average Day CBL" (5 of 10), PJM's CBL
 *   (4 of 5; Manual 11, 10.4) and CAISO's residential 5 in 10 (Tariff 4.13.4).
 * - 10-of-10: all of the latest 10, CAISO's "10 in 10" (Tariff 4.13.4).
 * - middle-8-of-10: the latest 10 without the highest and the lowest, ERCOT's "Middle 8-of-10 Preceding Like Days"
 *   (Demand Response Baseline Methodologies).
 * - match-day-3: the 3 that differ least outside the window and an hour around it, PJM's "Match Day (3 Day Average)"
 *   (Manual 11, 10.4).
 * - device-metered: all of the latest 10, of the battery's own energy, as CAISO's "Metering Generator Output" (Tariff 4.13.4).
 */
export const dayMethods: Readonly<Record<DayMethod, Method>> = {
  "x-of-y": {
    wanted: (type, { x = 0, y = defaultDays[type].y }) => Math.max(x, y),
    select: highest
  },
  "10-of-10": { wanted: () => 10, select: all },
  "middle-8-of-10": { wanted: () => 10, select: middle },
  "match-day-3": { wanted: () => Number.POSITIVE_INFINITY, select: mostAlike },
  "device-metered": { wanted: () => 10, select: all }
}

const adjusted: ReadonlySet<DayMethod> = new Set(["x-of-y", "10-of-10", "middle-8-of-10"])

export const isAdjusted = (method: DayMethod) => adjusted.has(method)

/** Chooses the days of a method among the usable ones, the latest first. */
export const selectDays = (
  method: DayMethod,
  type: DayType,
  parameters: { readonly x?: number; readonly y?: number },
  days: ReadonlyArray<MeasuredDay>,
  event: Event
): Selection => dayMethods[method].select(days, event, highestCount(type, parameters))

export type Unadjusted = NonNullable<(typeof BaselineDay.Type)["unadjusted"]>
