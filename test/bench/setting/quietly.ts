import { setTimeout } from "node:timers/promises"
import { median } from "../statistics.ts"
import { watchForeignLoad } from "./foreignLoad.ts"

/** The share of the machine that other programs may take while something is measured. */
const TOLERATED = 0.1
const ATTEMPTS = 3
/** A measurement of this length evens out what disturbs it, and is not repeated. */
const LONG_MS = 10_000
const GLANCE_MS = 500

const disturbances: Array<number> = []
let patienceMs = 0

/** How long each measurement waits for other programs to be quiet, before it starts anyway. */
export const waitForQuiet = (seconds: number): void => {
  patienceMs = seconds * 1000
}

/** The share of the machine that other programs took during the measurements that were kept: the median, and the most. */
export const disturbance = (): { readonly median: number; readonly most: number } =>
  disturbances.length === 0 ? { median: 0, most: 0 } : { median: median(disturbances), most: Math.max(...disturbances) }

const awaitQuiet = async () => {
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
export const quietly = async <A>(
  measure: () => Promise<A>
): Promise<{ readonly result: A; readonly long: boolean }> => {
  let least: { readonly result: A; readonly share: number; readonly long: boolean } | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await awaitQuiet()
    const foreignLoad = watchForeignLoad()
    const startedAt = performance.now()
    const result = await measure()
    const share = foreignLoad()
    const long = performance.now() - startedAt > LONG_MS
    if (least === undefined || share < least.share) least = { result, share, long }
    if (share <= TOLERATED || long) break
  }
  disturbances.push(least!.share)
  return least!
}
