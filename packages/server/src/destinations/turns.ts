import { Effect } from "effect"

/**
 * Lets only so many begin in one turn of the event loop: whatever else the process is asked is answered in between, and the
 * busier it is with that, the longer a turn takes.
 */
export const makeTurns = (each: number): Effect.Effect<void> => {
  const waiting: Array<() => void> = []
  let begun = 0
  const next = () => {
    begun = 0
    for (const go of waiting.splice(0, each)) begin(go)
  }
  const begin = (go: () => void) => {
    if (begun === 0) setImmediate(next)
    begun += 1
    go()
  }
  return Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (begun < each) return begin(go)
    waiting.push(go)
    return Effect.sync(() => {
      const at = waiting.indexOf(go)
      if (at >= 0) waiting.splice(at, 1)
    })
  })
}
