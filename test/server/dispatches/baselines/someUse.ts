import type { Random } from "../../../support/Random.ts"
import type { Used } from "./referenceBaseline.ts"

const QUARTER = 900_000

/** The net use of a home by the quarter of an hour, with gaps; a whole number of µWh in each millisecond. */
export const someUse = (random: Random, spreads: ReadonlyArray<number> = [1, 50, 2000]) => {
  const level = random.pick([-800, -1, 0, 1, 600, 3000])
  const spread = random.pick(spreads)
  const gaps = random.pick([0, 0.002, 0.01, 0.05])
  const seed = random.below(1_000_000)
  const known = new Map<number, { readonly perMs: number; readonly share: number }>()

  /** Deterministic noise: the same quarter has the same energy, whoever asks first. */
  const noise = (quarter: number, salt: number) => {
    const mixed = Math.imul((quarter ^ seed) + salt * 7919, 0x9e3779b1) >>> 0
    return ((Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0) % 100_000) / 100_000
  }
  const at = (quarter: number) => {
    const found = known.get(quarter)
    if (found !== undefined) return found
    // A gap lasts for six hours and ends in the middle of a quarter.
    const isGap = noise(Math.floor(quarter / 24), 1) < gaps * 4
    const share = isGap ? (quarter % 24 === 23 ? 0.5 : 0) : noise(quarter, 2) < gaps ? 0.92 : 1
    const made = { perMs: Math.round(level + spread * (noise(quarter, 3) - 0.5)), share }
    known.set(quarter, made)
    return made
  }
  return {
    use: (from: number, to: number): Used => {
      const { perMs, share } = at(Math.floor(from / QUARTER))
      return { amount: perMs * (to - from), covered: share }
    },
    /** The same as the service reads it. */
    measured: ({ from, to }: { readonly from: number; readonly to: number }) => {
      const { perMs, share } = at(Math.floor(from / QUARTER))
      return share === 0
        ? { amount: null, covered: 0 }
        : { amount: BigInt(perMs) * BigInt(to - from), covered: share * (to - from) }
    }
  }
}
