import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type Figures, makeBuckets } from "@edp/server/energy/buckets"
import { deviceCells } from "@edp/server/energy/deviceCells"
import { ratedPowerOf } from "@edp/server/energy/quantities"
import type { Taken } from "./measuring.ts"

/** What the readings tell, computed from all of them in one go and without a database. */
export const recomputed = (
  type: DeviceType,
  staticState: object | null,
  taken: Iterable<Taken>,
  bounds: ReadonlyArray<number>
): Figures => {
  const readings = Array.from(taken, ({ at, state }) => ({ at, state: state as Readonly<Record<string, unknown>> }))
  const span = { from: bounds[0]!, to: bounds.at(-1)! }
  const sorted = readings.toSorted((one, other) => one.at - other.at)
  const cells = deviceCells({ type, ratedPower: ratedPowerOf(type, staticState) }, sorted, span)
  const buckets = makeBuckets(bounds)
  for (const [quantity, each] of cells) buckets.addCells(quantity, each, span)
  return buckets.figures()
}
