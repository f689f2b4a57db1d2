export const WINDOW_MS = 60_000

/** Windows that the current one may be ahead of the clock: clocks are set back, and differ, by a little. */
const AHEAD = 1

/**
 * Counts requests of the current window. The next window starts with no counts, so memory is bounded by the callers of a minute. A
 * clock that is set back across the start of a window does not reopen the earlier one, which would lose its counts.
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
