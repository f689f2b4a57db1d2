import { setTimeout } from "node:timers/promises"
import { watchForeignLoad } from "./foreignLoad.ts"

/** The share of the machine that other programs may take while something is measured. */
const TOLERATED = 0.1
const ATTEMPTS = 4
const GLANCE_MS = 500

const disturbances: Array<number> = []

/** The share of the machine that other programs took, of each measurement that was kept. */
export const disturbed = (): ReadonlyArray<number> => disturbances

const awaitQuiet = async (patienceMs: number) => {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const foreignLoad = watchForeignLoad()
    await setTimeout(GLANCE_MS)
    if (foreignLoad() <= TOLERATED) return
  }
}

/**
 * Measures while other programs are quiet: waits for it a while, and measures again when they were not. After a few
 * attempts the least disturbed one counts.
 */
export const quietly = async <A>(measure: () => Promise<A>, patienceMs: number): Promise<A> => {
  let least: { readonly result: A; readonly share: number } | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await awaitQuiet(patienceMs)
    const foreignLoad = watchForeignLoad()
    const result = await measure()
    const share = foreignLoad()
    if (least === undefined || share < least.share) least = { result, share }
    if (share <= TOLERATED) break
  }
  disturbances.push(least!.share)
  return least!.result
}
