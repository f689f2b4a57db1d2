import { Effect } from "effect"

/** So many begin in one turn of the event loop: what they lead to is done more cheaply than that of a whole crowd. */
const A_TURN = 12
/** While the process is busy with something else, one begins in so many milliseconds. */
const TICK_MS = 2
/** What answers many at once seems idle in between: it stays busy for so many milliseconds. */
const BUSY_MS = 50

/**
 * Lets a few begin at a time in the order in which they asked, and while the process is busy one after the other.
 *
 * @param clock The time in milliseconds.
 */
export const makeTurns = (isBusy: () => boolean, clock: () => number): Effect.Effect<void> => {
  const waiting: Array<() => void> = []
  let begun = 0
  let isArmed = false
  let busyUntil = 0
  const staysBusy = () => {
    const now = clock()
    if (isBusy()) busyUntil = now + BUSY_MS
    return now < busyUntil
  }
  const arm = () => {
    if (isArmed || (waiting.length === 0 && begun === 0)) return
    isArmed = true
    if (staysBusy()) setTimeout(next, TICK_MS)
    else setImmediate(next)
  }
  const next = () => {
    isArmed = false
    begun = 0
    for (const go of waiting.splice(0, staysBusy() ? 1 : A_TURN)) begin(go)
  }
  const begin = (go: () => void) => {
    begun += 1
    arm()
    go()
  }
  return Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (waiting.length === 0 && begun < A_TURN && !staysBusy()) return begin(go)
    waiting.push(go)
    arm()
    return Effect.sync(() => {
      const at = waiting.indexOf(go)
      if (at >= 0) waiting.splice(at, 1)
    })
  })
}
