import { MOST } from "./counterStep.ts"
import type { PowerPart } from "./quantities.ts"

const MS_PER_MICRO = 3.6

/** The energy of a power that changes evenly, µWh, from the start until so many milliseconds later. */
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

/** Undefined where the power is none that a device can have. */
export const ramp = (part: PowerPart, first: number, last: number, length: number): Ramp | undefined => {
  if ((Math.max(Math.abs(first), Math.abs(last)) * length) / MS_PER_MICRO > MOST) return undefined
  if (part === "all") return integral(first, last, length)
  return part === "positive" ? positive(first, last, length) : positive(-first, -last, length)
}
