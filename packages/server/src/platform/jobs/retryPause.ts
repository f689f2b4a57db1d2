export interface RetrySchedule {
  /** Pauses after the first, second, … failure, in milliseconds. The failure after the last pause is final. */
  readonly pauses: ReadonlyArray<number>
  /** Share by which a pause varies to either side, so that jobs which failed together are not retried together. */
  readonly jitter: number
  /** The longest pause that the called service may ask for, in milliseconds. */
  readonly longestAsked: number
}

/**
 * The pause before the next attempt, in milliseconds; undefined when that was the last one.
 *
 * @param failures How often the job has failed, from 1.
 * @param random From 0 to 1.
 * @param askedMs The pause that the called service requested. It can only lengthen the pause.
 */
export const retryPause = (
  { jitter, longestAsked, pauses }: RetrySchedule,
  failures: number,
  random: number,
  askedMs?: number
): number | undefined => {
  const pause = pauses[failures - 1]
  if (pause === undefined) return undefined
  const drawn = pause * (1 + jitter * (2 * random - 1))
  return Math.round(Math.max(drawn, Math.min(askedMs ?? 0, longestAsked)))
}
