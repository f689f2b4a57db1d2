const DAY = 86_400_000

/** Of what times readings are kept. */
export interface KeptTimes {
  readonly retentionDays: number | undefined
  /** Readings before are dropped already, whatever the setting is now: milliseconds since 1970. */
  readonly droppedBefore: number
}

/** What is wrong with a reading's time, if it is too old to be kept. */
export const tooOld = (at: number, now: number, { retentionDays, droppedBefore }: KeptTimes): string | undefined => {
  if (retentionDays !== undefined && at < now - retentionDays * DAY) {
    return `Must be within the ${retentionDays} days for which readings are kept`
  }
  return at < droppedBefore
    ? `Must not be before ${new Date(droppedBefore).toISOString()}: older readings have been dropped`
    : undefined
}
