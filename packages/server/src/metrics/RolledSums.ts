import { Effect } from "effect"
import { QUARTER, type Span, quarterIndex } from "../energy/intervals.ts"
import { type EnergyQuantity, quantities } from "../energy/quantities.ts"
import { bucketAt } from "../energy/spans.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { DAY, findCuts } from "./storedDays.ts"

/** Devices whose rollups hold all energies of their spans, which lie within the buckets. Both begin and end with a quarter of an hour. */
export interface RolledQuestion<Q extends EnergyQuantity> {
  readonly spans: ReadonlyArray<Span & { readonly deviceId: string; readonly group: number }>
  /** The beginnings of the buckets and the end of the last one: at most one within each UTC day. */
  readonly bounds: ReadonlyArray<number>
  readonly quantities: ReadonlyArray<Q>
}

/** The energy of a group's devices in a bucket. */
export interface RolledSum<Q extends EnergyQuantity> {
  readonly group: number
  readonly bucket: number
  readonly quantity: Q
  /** µWh. */
  readonly amount: bigint
  /** Milliseconds. */
  readonly covered: number
}

/** Adds rollups of many devices up in the database. */
export const RolledSums = Effect.gen(function* () {
  const repository = yield* RollupDaysRepository
  const read = Effect.fnUntraced(function* <Q extends EnergyQuantity>({ bounds, spans, ...asked }: RolledQuestion<Q>) {
    const cuts = findCuts(bounds)
    if (cuts === undefined) return yield* Effect.die(new Error("Two buckets begin within a UTC day"))
    if (spans.length === 0) return []
    const found = yield* repository.sums(
      spans.map(({ from, to, ...each }) => ({ ...each, from: quarterIndex(from), to: quarterIndex(to) })),
      cuts,
      asked.quantities.map((name) => quantities.indexOf(name))
    )
    return found.flatMap(({ day, group, quantity, ...sums }): ReadonlyArray<RolledSum<Q>> => {
      const cut = cuts.get(day) ?? 0
      const part = (from: number, amount: string, covered: number) => ({
        group,
        // Only quantities of the question are read.
        quantity: quantities[quantity] as Q,
        bucket: bucketAt(bounds, from),
        amount: BigInt(amount),
        covered
      })
      const after = part(day * DAY + cut * QUARTER, sums.after, sums.coveredAfter)
      return cut === 0 ? [after] : [part(day * DAY, sums.before, sums.coveredBefore), after]
    })
  })
  return { read }
})
