export const MINUTE = 60_000
export const DAY = 86_400_000

/** A time without a change of the clock, in milliseconds since 1970. */
interface SteadySpan {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offset: number
}

/** The span in which each zone was last looked up: looking one up takes a tenth of a millisecond, and thousands of schedules share a few. */
const known = new Map<string, SteadySpan>()

const zonedAt = (instant: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone)

const findSpan = (instant: number, timezone: string): SteadySpan => {
  const last = known.get(timezone)
  if (last !== undefined && instant >= last.from && instant < last.to) return last
  const zoned = zonedAt(instant, timezone)
  const span = {
    // The change at the instant itself counts.
    from: zonedAt(instant + 1, timezone).getTimeZoneTransition("previous")?.epochMilliseconds ?? -Infinity,
    to: zoned.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
    offset: zoned.offsetNanoseconds / 1e6
  }
  known.set(timezone, span)
  return span
}

/** The local time of an instant, as the milliseconds since 1970 at which a clock of UTC shows it. */
export const localAt = (instant: number, timezone: string): number => instant + findSpan(instant, timezone).offset

/** The local day of an instant, as the number of days since 1970. */
export const localDay = (instant: number, timezone: string): number => Math.floor(localAt(instant, timezone) / DAY)

/** No change of a clock is greater than a day. */
const MARGIN = 2 * DAY

/**
 * The instant at which the clocks of a zone first show a local time or, if they skip it, the first instant after the gap, in
 * milliseconds since 1970. A later local time never comes at an earlier instant.
 *
 * @param local The local time, as the milliseconds since 1970 at which a clock of UTC shows it.
 */
export const instantAt = (local: number, timezone: string): number => {
  const span = known.get(timezone)
  if (span !== undefined) {
    const instant = local - span.offset
    if (instant >= span.from + MARGIN && instant < span.to - MARGIN) return instant
  }
  const shown = zonedAt(local, "UTC").toPlainDateTime()
  const zoned = shown.toZonedDateTime(timezone, { disambiguation: "earlier" })
  if (zoned.toPlainDateTime().equals(shown)) return zoned.epochMilliseconds
  // In a gap, `earlier` is the instant at which clocks of the time after the gap would show it: shortly before the gap.
  return zoned.getTimeZoneTransition("next")!.epochMilliseconds
}

/** The local time of an instant with its offset from UTC, to the second: `2026-03-29T03:00:00+02:00`. */
export const formatLocal = (instant: number, timezone: string): string =>
  zonedAt(instant, timezone).toString({ timeZoneName: "never", smallestUnit: "second" })
