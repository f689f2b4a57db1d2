/** A process that lives for longer than these milliseconds had not ended because of its start. */
const STABLE_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/**
 * The milliseconds until a process that has ended is replaced. The first end costs no pause, and neither does one after a stable time:
 * only one that ends soon after its start again and again is held back.
 */
export const replacementPause = (earlyEnds: number, livedMs: number) => {
  const ends = livedMs < STABLE_MS ? earlyEnds + 1 : 0
  return { earlyEnds: ends, milliseconds: ends < 2 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (ends - 2)) }
}
