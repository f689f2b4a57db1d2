import {
  flows,
  isElectricity,
  isOfInterval,
  isRegister,
  isWholeValue,
  qualityProblem,
  WATT,
  WATT_HOUR
} from "./espiCodes.ts"
import { type ElementProblem, takes } from "./FeedProblem.ts"
import type { ReadingColumns } from "./ReadingColumns.ts"
import type { MeterSeries } from "./usagePoints.ts"

/** The mean power of a time. */
export interface Interval {
  /** Milliseconds since 1970; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** W, never negative; NaN where the file has a value that was not measured. */
  readonly watts: number
  readonly line: number
}

/** The intervals of a MeterReading. */
export interface SeriesIntervals {
  readonly series: MeterSeries
  readonly flow: "forward" | "reverse" | "net"
  /** Lower ones come first where several series cover a time. */
  readonly rank: number
  readonly imported: ReadonlyArray<Interval>
  readonly exported: ReadonlyArray<Interval>
}

/** How many interval readings are left out, by the reason. */
export type LeftOut = Map<string, number>

export interface IntervalContext {
  readonly readings: ReadingColumns
  /** Milliseconds since 1970: the end of an interval is not later. */
  readonly latest: number
  readonly leftOut: LeftOut
  readonly refuse: (problem: ElementProblem) => void
}

const EARLIEST = Date.UTC(2000, 0, 1)
/** A day on which clocks go back, seconds. */
export const LONGEST_INTERVAL = 25 * 3600
const MOST_WATTS = 1e9

const RANKS = { energy: 0, register: 1, power: 2 } as const

const count = (leftOut: LeftOut, reason: string, by = 1) => leftOut.set(reason, (leftOut.get(reason) ?? 0) + by)

/** Why no interval of a type can be used, or undefined. */
export const typeProblem = (type: MeterSeries["type"]): string | undefined => {
  const { accumulationBehaviour = 0, commodity = 0, dataQualifier = 0, flowDirection = 0, uom } = type
  if (!isElectricity(commodity)) return `commodity ${commodity} is not electricity`
  if (uom !== WATT_HOUR && uom !== WATT) return `uom ${uom ?? "is absent and"} is neither Wh (72) nor W (38)`
  if (!isWholeValue(dataQualifier)) return `dataQualifier ${dataQualifier} is an extreme or a threshold`
  if (!Object.values<number>(flows).includes(flowDirection)) {
    return `flowDirection ${flowDirection} is neither delivered (1), received (19) nor net (4)`
  }
  const isUsable = isOfInterval(accumulationBehaviour) || (uom === WATT_HOUR && isRegister(accumulationBehaviour))
  if (!isUsable) return `accumulationBehaviour ${accumulationBehaviour} is no energy of an interval`
  const { consumptionTier = 0, cpp = 0, tou = 0 } = type
  return tou > 0 || consumptionTier > 0 || cpp > 0 ? "it has the energy of one rate alone" : undefined
}

const scale = (value: number, power: number) => (power < 0 ? value / 10 ** -power : value * 10 ** power)

interface Reading {
  readonly start: number
  readonly duration: number
  readonly value: number
  readonly quality: number
  readonly line: number
}

/** The readings of a series; those without a time follow each other from the start of their block. */
function* readingsIn({ blocks, type }: MeterSeries, { readings }: IntervalContext): Generator<Reading> {
  const { defaultQuality = -1, intervalLength = Number.NaN } = type
  for (const { from, start, to } of blocks) {
    for (let at = from; at < to; at++) {
      const [own, duration, quality] = [readings.start[at]!, readings.duration[at]!, readings.quality[at]!]
      yield {
        start: Number.isNaN(own) ? start + (at - from) * intervalLength : own,
        duration: Number.isNaN(duration) ? intervalLength : duration,
        value: readings.value[at]!,
        quality: quality === -1 ? defaultQuality : quality,
        line: readings.line[at]!
      }
    }
  }
}

const timeProblem = ({ duration, line, start }: Reading, latest: number): ElementProblem | undefined => {
  if (Number.isNaN(start) || Number.isNaN(duration)) {
    return takes(line, "IntervalReading/timePeriod", "start and duration, in seconds")
  }
  if (duration < 0) return takes(line, "timePeriod/duration", "a number of seconds")
  if (start * 1000 < EARLIEST) return takes(line, "timePeriod/start", "seconds since 1970, of the year 2000 or later")
  if ((start + duration) * 1000 <= latest) return undefined
  return takes(line, "timePeriod/start", `an interval that ends by ${new Date(latest).toISOString()}`)
}

/** Why the value of a reading is not used, or undefined. */
const valueProblem = ({ quality, value }: Reading) =>
  Number.isNaN(value) ? "without a value" : qualityProblem(quality)

/** Readings of intervals as mean powers, signed. */
const powersOfIntervals = (series: MeterSeries, context: IntervalContext, add: (interval: Interval) => void) => {
  const { powerOfTenMultiplier = 0, uom } = series.type
  for (const reading of readingsIn(series, context)) {
    const { duration, line, start, value } = reading
    const problem = timeProblem(reading, context.latest)
    if (problem !== undefined) context.refuse(problem)
    else if (duration === 0) context.refuse(takes(line, "timePeriod/duration", "1 second or more"))
    else if (duration > LONGEST_INTERVAL) count(context.leftOut, "longer than a day")
    else {
      const reason = valueProblem(reading)
      if (reason !== undefined) count(context.leftOut, reason)
      const amount = scale(value, powerOfTenMultiplier)
      const watts = reason !== undefined ? Number.NaN : uom === WATT ? amount : (amount * 3600) / duration
      add({ from: start * 1000, to: (start + duration) * 1000, watts, line })
    }
  }
}

/** The states of a register as mean powers between them. */
const powersOfRegister = (series: MeterSeries, context: IntervalContext, add: (interval: Interval) => void) => {
  const { powerOfTenMultiplier = 0 } = series.type
  const states: Array<{ readonly at: number; readonly wattHours: number; readonly line: number }> = []
  for (const reading of readingsIn(series, context)) {
    const timed = Number.isNaN(reading.duration) ? { ...reading, duration: 0 } : reading
    const problem = timeProblem(timed, context.latest)
    const reason = valueProblem(reading)
    if (problem !== undefined) context.refuse(problem)
    else if (reason !== undefined) count(context.leftOut, reason)
    else {
      const wattHours = scale(reading.value, powerOfTenMultiplier)
      states.push({ at: (timed.start + timed.duration) * 1000, wattHours, line: reading.line })
    }
  }
  states.sort((one, other) => one.at - other.at)
  for (let at = 1; at < states.length; at++) {
    const [{ at: from, wattHours: first }, { at: to, line, wattHours: last }] = [states[at - 1]!, states[at]!]
    if (from === to && first === last) continue
    if (from === to) context.refuse(takes(line, "IntervalReading", "one state of the register at a time"))
    else if (to - from > LONGEST_INTERVAL * 1000) count(context.leftOut, "longer than a day")
    else if (last < first) count(context.leftOut, "of a register that fell")
    else add({ from, to, watts: ((last - first) * 3_600_000) / (to - from), line })
  }
}

/** The intervals of a usable series by their direction. */
export const seriesIntervals = (series: MeterSeries, context: IntervalContext): SeriesIntervals => {
  const { accumulationBehaviour = 0, flowDirection = 0, uom } = series.type
  const imported: Array<Interval> = []
  const exported: Array<Interval> = []
  const add = (interval: Interval) => {
    const { line, watts } = interval
    if (Math.abs(watts) > MOST_WATTS) context.refuse(takes(line, "IntervalReading/value", "at most 1 GW in the mean"))
    else if (flowDirection === flows.reverse) {
      if (watts < 0) context.refuse(takes(line, "IntervalReading/value", "0 or more, because it was received"))
      else exported.push(interval)
    } else if (watts < 0) exported.push({ ...interval, watts: -watts })
    else imported.push(interval)
  }
  const isOfRegister = uom === WATT_HOUR && isRegister(accumulationBehaviour)
  if (isOfRegister) powersOfRegister(series, context, add)
  else powersOfIntervals(series, context, add)
  return {
    series,
    flow: flowDirection === flows.reverse ? "reverse" : flowDirection === flows.net ? "net" : "forward",
    rank: isOfRegister ? RANKS.register : uom === WATT ? RANKS.power : RANKS.energy,
    imported,
    exported
  }
}
