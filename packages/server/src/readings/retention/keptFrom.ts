/** Readings may be dropped for some time after they may no longer come, milliseconds. */
const SPARE = 3_600_000

/** From when readings are kept that are to be kept for so many days: months are dropped whole. */
export const keptFrom = (now: number, days: number): number => {
  const date = new Date(now - days * 86_400_000 - SPARE)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
