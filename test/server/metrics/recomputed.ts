import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type Figures, makeBuckets } from "@edp/server/energy/buckets"
import { deviceIntervals } from "@edp/server/energy/deviceIntervals"
import { findRatedPower } from "@edp/server/energy/quantities"
import type { Taken } from "./measuring.ts"

/** The energies of the readings, computed from all of them at once and without a database. */
export const recomputed = (
  type: DeviceType,
  staticState: object | null,
  taken: Iterable<Taken>,
  bounds: ReadonlyArray<number>
): Figures => {
  const readings = Array.from(taken, ({ at, state }) => ({ at, state: state as Readonly<Record<string, unknown>> }))
  const span = { from: bounds[0]!, to: bounds.at(-1)! }
  const sorted = readings.toSorted((one, other) => one.at - other.at)
  const intervals = deviceIntervals({ type, ratedPower: findRatedPower(type, staticState) }, sorted, span)
  const buckets = makeBuckets(bounds)
  for (const [quantity, each] of intervals) buckets.addIntervals(quantity, each, span)
  return buckets.figures()
}
