export const WINDOW_MS = 60_000

/** How far ahead the window in hand may be of the clock: clocks are set back a little, and disagree by a little. */
const AHEAD = 1

/**
 * Counts of the window in hand. All of them go when the next one begins, so they are bounded by who calls in a minute. A
 * clock that goes back across the start of a window doesn't open the earlier one again, which would forget its counts.
 */
export const windowCounts = () => {
  let window = -1
  let counts = new Map<string, number>()
  return (key: string, now: number): { readonly window: number; readonly count: number } => {
    const current = Math.floor(now / WINDOW_MS)
    if (current !== window && current + AHEAD !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return { window, count }
  }
}
