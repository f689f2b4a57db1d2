import { Effect } from "effect"

/** While the process is busy so many begin every few milliseconds. */
const A_TICK = 2
const TICK_MS = 2

/**
 * Lets work begin at once, and while the process is busy with something else a little of it at a time, in the order in which
 * it was asked for.
 */
export const makeTurns = (isBusy: () => boolean): Effect.Effect<void> => {
  const waiting: Array<() => void> = []
  let ticking = false
  const tick = () => {
    ticking = false
    for (const go of waiting.splice(0, isBusy() ? A_TICK : waiting.length)) go()
    arm()
  }
  const arm = () => {
    if (ticking || waiting.length === 0) return
    ticking = true
    setTimeout(tick, TICK_MS)
  }
  return Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (waiting.length === 0 && !isBusy()) return go()
    waiting.push(go)
    arm()
    return Effect.sync(() => {
      const at = waiting.indexOf(go)
      if (at >= 0) waiting.splice(at, 1)
    })
  })
}
