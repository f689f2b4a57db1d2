import type { Overview } from "@edp/domain/dashboard/Overview"

export type FlowName = keyof Overview["power"]

/** The place of each part of the picture, in percent of it. */
export const places: Readonly<Record<FlowName, readonly [x: number, y: number]>> = {
  solar: [50, 14],
  grid: [20, 50],
  homes: [80, 50],
  batteries: [27, 86],
  charging: [73, 86]
}

/** The parts whose positive power flows out of the middle; of the others it flows in. */
const takers: ReadonlyArray<FlowName> = ["homes", "charging"]

/** Seconds in which a dash moves on, for the greatest power and for one near 0. */
const FASTEST = 0.6
const SLOWEST = 3

/** Watts below which nothing is seen to flow. */
const LEAST = 1

/** How a line moves: its direction, and the seconds of a step. Undefined: it stands still. */
export const motionFor = (name: FlowName, value: number | null, greatest: number) => {
  if (value === null || Math.abs(value) < LEAST) return undefined
  const isIn = value > 0 !== takers.includes(name)
  const share = Math.min(1, Math.abs(value) / Math.max(greatest, LEAST))
  return { isIn, seconds: SLOWEST - (SLOWEST - FASTEST) * share, width: 1.5 + 3 * share }
}
