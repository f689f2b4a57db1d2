import type { PowerPart } from "./quantities.ts"

const MICRO = 1e6
const MS_PER_MICRO = 3.6

/** The limit of a single step, 9 GWh: more is a fault of the data. */
const MOST = Number.MAX_SAFE_INTEGER

const fraction = (wh: number) => Math.round((wh - Math.trunc(wh)) * MICRO)

/** Wh in µWh; undefined beyond the limit of a step. */
export const micro = (wh: number): number | undefined => {
  const amount = Math.trunc(wh) * MICRO + fraction(wh)
  return Math.abs(amount) <= MOST ? amount : undefined
}

/** Whole and fractional parts are subtracted separately, so that differences along a counter of any size sum exactly. */
const difference = (from: number, to: number) =>
  (Math.trunc(to) - Math.trunc(from)) * MICRO + fraction(to) - fraction(from)

/** The apparent resolution of a counter, Wh: some report whole kWh and step by one at once. */
const findTick = (from: number, to: number) => [1000, 100, 10].find((tick) => from % tick === 0 && to % tick === 0) ?? 1

const MARGIN = 1.2

/** The most energy that a device can move, µWh. */
const reach = (ratedPower: number, milliseconds: number) => (ratedPower * milliseconds * MARGIN) / MS_PER_MICRO

/**
 * The step of a counter, µWh; undefined where it is unknown. A counter that falls was reset, and its value was counted
 * since then; if more than half remains it was corrected instead. A step beyond what the device can move in
 * the time is a jump, unless it is the counter's smallest step.
 */
export const counterStep = (
  from: number,
  to: number,
  milliseconds: number,
  ratedPower: number | undefined
): number | undefined => {
  if (to < from && to > from / 2) return undefined
  const step = to < from ? micro(to) : difference(from, to)
  if (step === undefined || step > MOST) return undefined
  if (ratedPower === undefined || step <= findTick(from, to) * MICRO) return step
  return step > reach(ratedPower, milliseconds) ? undefined : step
}

/** The energy of a linearly changing power after a number of milliseconds, µWh. */
export type Ramp = (milliseconds: number) => number

const integral =
  (first: number, last: number, length: number): Ramp =>
  (elapsed) =>
    (first * elapsed + ((last - first) * elapsed * elapsed) / (2 * length)) / MS_PER_MICRO

/** Only while the power is positive. */
const positive = (first: number, last: number, length: number): Ramp => {
  if (first >= 0 && last >= 0) return integral(first, last, length)
  if (first <= 0 && last <= 0) return () => 0
  const whole = integral(first, last, length)
  const crossing = (length * first) / (first - last)
  const until = whole(crossing)
  return first > 0
    ? (elapsed) => (elapsed < crossing ? whole(elapsed) : until)
    : (elapsed) => (elapsed < crossing ? 0 : whole(elapsed) - until)
}

/** Undefined where no device can have the power. */
export const ramp = (part: PowerPart, first: number, last: number, length: number): Ramp | undefined => {
  if ((Math.max(Math.abs(first), Math.abs(last)) * length) / MS_PER_MICRO > MOST) return undefined
  if (part === "all") return integral(first, last, length)
  return part === "positive" ? positive(first, last, length) : positive(-first, -last, length)
}
