import { LONGEST_GAP } from "./deviceCells.ts"
import type { Missing } from "./spanParts.ts"
import { QUARTER, quarterOf, type Span } from "./quarterCells.ts"
import type { EnergyReading } from "./timeline.ts"

/** A change of the readings from one instant through another, with the readings next to it. */
export interface Change extends Span {
  /** Not included in it, as everywhere. */
  readonly to: number
  readonly before: EnergyReading | undefined
  readonly after: EnergyReading | undefined
}

/** A field that a neighbour of a change lacks: the nearest readings that have it within the change and beyond the neighbour. */
export interface Reached extends Pick<Missing, "isCounter"> {
  readonly within: number
  readonly beyond: number
}

const isReached = ({ isCounter, within, beyond }: Reached) => isCounter || Math.abs(within - beyond) <= LONGEST_GAP

/**
 * The quarters whose figures a change of the readings can alter: from the reading before it to the one after, and as
 * far as its fields are paired with readings beyond these.
 */
export const changedSpan = ({ from, to, before, after }: Change, reached: ReadonlyArray<Reached>): Span => {
  const far = reached.filter(isReached).map(({ beyond }) => beyond)
  // The energy of a device's first reading lies in the moment before it.
  const first = Math.min(from - 1, before?.at ?? from, ...far)
  const last = Math.max(to, after?.at ?? to, ...far)
  return { from: quarterOf(first) * QUARTER, to: Math.ceil(last / QUARTER) * QUARTER }
}
