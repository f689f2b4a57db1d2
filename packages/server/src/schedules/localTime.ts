/**
 * The instant at which the clocks of a zone first show a local time or, if they skip it, the first instant after the gap, in
 * milliseconds since 1970. A later local time never comes at an earlier instant.
 */
export const instantAt = (date: Temporal.PlainDate, minuteOfDay: number, timezone: string): number => {
  const time = { hour: Math.floor(minuteOfDay / 60), minute: minuteOfDay % 60 }
  const local = date.toPlainDateTime(time)
  const zoned = local.toZonedDateTime(timezone, { disambiguation: "earlier" })
  if (zoned.toPlainDateTime().equals(local)) return zoned.epochMilliseconds
  // In a gap, `earlier` is the instant at which clocks of the time after the gap would show it: shortly before the gap.
  return zoned.getTimeZoneTransition("next")!.epochMilliseconds
}

export const localDate = (instant: number, timezone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone).toPlainDate()

/** The local time of an instant with its offset from UTC, to the second: `2026-03-29T03:00:00+02:00`. */
export const formatLocal = (instant: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: "never", smallestUnit: "second" })
