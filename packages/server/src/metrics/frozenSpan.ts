import { LONGEST_GAP } from "../energy/deviceCells.ts"
import { QUARTER, quarterOf, type Span } from "../energy/quarterCells.ts"
import type { RollState } from "./rollState.ts"
import { type DeviceSpan, type Missing, missingBefore } from "../energy/spanParts.ts"
import type { EnergyReading } from "../energy/timeline.ts"

/** A counter that is silent for longer than this while its device reports on counts as ended when its month is dropped. */
const COUNTER_PAUSE = 86_400_000

/**
 * The fields that the last reading before a month's end lacks, as far as a reading from there on may be paired with one
 * before it.
 */
export const openFields = (end: DeviceSpan, last: EnergyReading): ReadonlyArray<Missing> =>
  missingBefore(end, [last]).map((missing) => ({
    ...missing,
    bound: missing.isCounter ? last.at - COUNTER_PAUSE : end.from - LONGEST_GAP
  }))

/**
 * From when a device's quarters are still computed from readings once those before an instant are dropped. `open` are
 * the readings before it whose fields the next readings may be paired with: what lies between is not decided yet. Null
 * where the rollups hold nothing.
 */
export const frozenUntil = (
  { rolledUntil, frozenUntil: before }: Pick<RollState, "rolledUntil" | "frozenUntil">,
  keptFrom: number,
  open: ReadonlyArray<number>
): number | null => {
  if (rolledUntil === null) return before
  const until = quarterOf(Math.min(keptFrom, rolledUntil, ...open)) * QUARTER
  return Math.max(until, before ?? until)
}

/** The times of the readings that stay: those from which something is still computed, and those next to them. */
export const keptSpans = (
  frozen: number | null,
  keptFrom: number,
  neighbours: ReadonlyArray<number>
): ReadonlyArray<Span> => [
  { from: frozen ?? 0, to: keptFrom },
  ...neighbours.map((at): Span => ({ from: at, to: at + 1 }))
]
