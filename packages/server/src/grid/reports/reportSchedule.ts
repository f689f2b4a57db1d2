import type { TimedInterval } from "@edp/domain/openadr/intervalTimes"
import type { ReportDescriptor } from "@edp/domain/openadr/values"

type Times = Pick<TimedInterval, "id" | "start" | "end">

/** A report that an event asks for. Times are in milliseconds since 1970. */
export interface DueReport {
  /** Position of its descriptor in the event. */
  readonly descriptor: number
  readonly payloadType: string
  readonly dueAt: number
  readonly intervals: ReadonlyArray<{ readonly id: number; readonly start: number; readonly end: number }>
}

/** An event can ask for a report after each of its intervals. */
const REPORTS = 10_000

const ended = (intervals: ReadonlyArray<Times>) =>
  intervals.filter((interval): interval is Times & { readonly end: number } => interval.end !== null)

/** Intervals of a quarter of an hour within a span, whose ids count from 0. */
const quarters = (start: number, end: number) => {
  const length = 15 * 60_000
  const parts: Array<{ readonly id: number; readonly start: number; readonly end: number }> = []
  for (let from = start; from < end && parts.length < REPORTS;) {
    const to = Math.min((Math.floor(from / length) + 1) * length, end)
    parts.push({ id: parts.length, start: from, end: to })
    from = to
  }
  return parts
}

/**
 * The reports that a descriptor asks for up to a time. `startInterval` is the interval at whose start the first one is made; -1 is the
 * end of the last interval. A report is about the `numIntervals` intervals before, -1 meaning all of them, and is repeated after
 * `frequency` intervals each, -1 meaning `numIntervals`, `repeat` times, -1 meaning without end. Forecasts, for which `historical` is
 * false, are none of these.
 */
export const dueReports = (
  descriptors: ReadonlyArray<ReportDescriptor>,
  times: ReadonlyArray<Times>,
  now: number
): ReadonlyArray<DueReport> => {
  const intervals = ended(times).toSorted((one, other) => one.start - other.start)
  if (intervals.length === 0) return []
  return descriptors.flatMap((descriptor, index): ReadonlyArray<DueReport> => {
    if (descriptor.historical === false) return []
    const { frequency = -1, numIntervals = -1, payloadType, repeat = 1, startInterval = -1 } = descriptor
    const size = numIntervals <= 0 ? intervals.length : numIntervals
    const step = frequency > 0 ? frequency : size
    const first = startInterval < 0 ? intervals.length : startInterval
    const found: Array<DueReport> = []
    const most = repeat < 0 ? REPORTS : Math.min(repeat, REPORTS)
    for (let n = 0; n < most; n++) {
      const until = first + n * step
      if (until > intervals.length) break
      const reported = intervals.slice(Math.max(0, until - size), until)
      const last = reported.at(-1)
      if (last === undefined) continue
      const dueAt = Math.max(...reported.map(({ end }) => end))
      if (dueAt > now) break
      found.push({
        descriptor: index,
        payloadType,
        dueAt,
        intervals:
          descriptor.reportIntervals === "SUB_INTERVALS" || descriptor.reportIntervals === "OPEN_INTERVALS"
            ? quarters(reported[0]!.start, dueAt)
            : reported.map(({ end, id, start }) => ({ id, start, end }))
      })
    }
    return found
  })
}
