import { Effect } from "effect"

/** Counts what arrives on a connection, so that a reader waits for more than it has seen. */
export interface Arrivals {
  readonly count: () => number
  /** Counts one more, and wakes who waits. */
  readonly add: () => void
  /** Waits until there were more than a number. */
  readonly moreThan: (number: number) => Effect.Effect<void>
}

export const makeArrivals = (): Arrivals => {
  const waiting = new Set<() => void>()
  let count = 0
  return {
    count: () => count,
    add: () => {
      count += 1
      // A woken reader may wait anew at once: a loop over the set itself would wake it again, without end.
      Array.from(waiting).forEach((wake) => wake())
    },
    moreThan: (number) =>
      Effect.callback<void>((resume) => {
        const wake = () => {
          waiting.delete(wake)
          resume(Effect.void)
        }
        if (count > number) return resume(Effect.void)
        waiting.add(wake)
        return Effect.sync(() => void waiting.delete(wake))
      })
  }
}
