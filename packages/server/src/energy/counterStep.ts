const MICRO = 1e6
const MS_PER_MICRO = 3.6

/** Beyond this a figure of a single step is a fault of the data: 9 GWh. */
export const MOST = Number.MAX_SAFE_INTEGER

const fraction = (wh: number) => Math.round((wh - Math.trunc(wh)) * MICRO)

/** Wh in µWh; undefined beyond what one step may be. */
export const micro = (wh: number): number | undefined => {
  const amount = Math.trunc(wh) * MICRO + fraction(wh)
  return Math.abs(amount) <= MOST ? amount : undefined
}

/** Whole and fractional parts apart, so that the differences along a counter of any height sum to that of its ends. */
const difference = (from: number, to: number) =>
  (Math.trunc(to) - Math.trunc(from)) * MICRO + fraction(to) - fraction(from)

/** The unit in which a counter seems to count, Wh: some tell a Wh counter in whole kWh, and move by a whole one at once. */
const tickOf = (from: number, to: number) => [1000, 100, 10].find((tick) => from % tick === 0 && to % tick === 0) ?? 1

const MARGIN = 1.2

/** The most that a device can move, µWh. */
const reach = (ratedPower: number, milliseconds: number) => (ratedPower * milliseconds * MARGIN) / MS_PER_MICRO

/**
 * What a counter moved by, µWh; undefined where it does not tell. A counter that falls was reset and has counted what
 * it shows since then; one that keeps more than half was corrected instead. A step beyond what the device can move in
 * the time is a jump, unless it is the least that the counter can show.
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
  if (ratedPower === undefined || step <= tickOf(from, to) * MICRO) return step
  return step > reach(ratedPower, milliseconds) ? undefined : step
}
