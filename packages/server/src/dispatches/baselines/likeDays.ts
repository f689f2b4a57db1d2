import type { Span } from "../../energy/intervals.ts"
import { overlap } from "../../energy/spans.ts"
import type { Calendar, DayNumber } from "./holidays.ts"
import { type LeftOut, type LeftOutReason, type MeasuredDay } from "./selection.ts"
import { LEAST_COVERAGE, type Series, coverageIn, nothing } from "./series.ts"
import { type DispatchPart, earlierBy, wholeDay } from "./windows.ts"

/** A reason why a day is unlike the others at a site. */
export interface Disturbance {
  readonly span: Span
  readonly reason: "dispatch" | "outage"
}

export const findDisturbance = (disturbances: ReadonlyArray<Disturbance>, spans: ReadonlyArray<Span>) =>
  disturbances.find(({ span }) => spans.some(({ from, to }) => overlap(span, from, to) > 0))?.reason

/** A like day before its energies are read. */
export interface Candidate {
  readonly day: DayNumber
  readonly window: ReadonlyArray<Span>
  readonly before: ReadonlyArray<Span | undefined>
  readonly rest: ReadonlyArray<Span | undefined>
}

export interface LikeDaysQuestion {
  readonly part: DispatchPart
  /** The first local day of the dispatch. */
  readonly firstDay: DayNumber
  readonly lookbackDays: number
  readonly calendar: Calendar
  readonly timezone: string
  readonly disturbances: ReadonlyArray<Disturbance>
  /** The intervals of the same-day adjustment. */
  readonly before: ReadonlyArray<Span>
  /** The intervals that methods compare. */
  readonly rest: ReadonlyArray<Span>
  /** The number of usable days that are sought. */
  readonly wanted: number
}

/** The local days before a dispatch of the type of a part of it, the latest first. */
const likeDays = ({ calendar, firstDay, lookbackDays, part }: LikeDaysQuestion): ReadonlyArray<DayNumber> =>
  Array.from({ length: lookbackDays }, (_, n) => firstDay - 1 - n).filter((day) => calendar(day) === calendar(part.day))

const isWhole = (spans: ReadonlyArray<Span | undefined>): spans is ReadonlyArray<Span> => !spans.includes(undefined)

/** The energies of intervals, of which clocks may skip some; the others follow one another in `found`. */
const withSkipped = (spans: ReadonlyArray<Span | undefined>, found: Series): Series => {
  let next = 0
  return spans.map((span) => (span === undefined ? nothing : found[next++]!))
}

/** All intervals of a day whose energies are needed. */
export const neededSpans = ({ before, rest, window }: Candidate): ReadonlyArray<Span> =>
  [...window, ...before, ...rest].filter((span) => span !== undefined)

/**
 * Finds the usable like days of a part of a dispatch at a site, the latest first. Energies are read step by step, so that no day
 * is read that can't count: `next` returns the days to read, `offer` takes what was found.
 */
export const searchLikeDays = (question: LikeDaysQuestion) => {
  const { before, disturbances, part, rest, timezone, wanted } = question
  const days = likeDays(question)
  const usable: Array<MeasuredDay> = []
  const leftOut: Array<LeftOut> = []
  let position = 0

  const leaveOut = (day: DayNumber, reason: LeftOutReason) => void leftOut.push({ day, reason })

  /** The next day that another dispatch, an outage or a clock change does not exclude. */
  const nextCandidate = (): Candidate | undefined => {
    while (position < days.length) {
      const day = days[position++]!
      const earlier = (spans: ReadonlyArray<Span>) => earlierBy(part.day - day, spans, timezone)
      const window = earlier(part.intervals)
      if (!isWhole(window)) {
        leaveOut(day, "clock_change")
        continue
      }
      const reason = findDisturbance(disturbances, [wholeDay(day, window, timezone)])
      if (reason === undefined) return { day, window, before: earlier(before), rest: earlier(rest) }
      leaveOut(day, reason)
    }
    return undefined
  }

  return {
    next: (): ReadonlyArray<Candidate> => {
      const candidates: Array<Candidate> = []
      while (candidates.length < wanted - usable.length) {
        const candidate = nextCandidate()
        if (candidate === undefined) break
        candidates.push(candidate)
      }
      return candidates
    },
    /** Takes the energies of a candidate's needed spans, in their order. */
    offer: (candidate: Candidate, found: Series) => {
      const window = found.slice(0, candidate.window.length)
      if (coverageIn(window, candidate.window) < LEAST_COVERAGE) return leaveOut(candidate.day, "low_coverage")
      const afterWindow = found.slice(window.length)
      const beforeCount = candidate.before.filter((span) => span !== undefined).length
      usable.push({
        day: candidate.day,
        window,
        before: withSkipped(candidate.before, afterWindow.slice(0, beforeCount)),
        rest: withSkipped(candidate.rest, afterWindow.slice(beforeCount))
      })
    },
    usable: (): ReadonlyArray<MeasuredDay> => usable,
    leftOut: (): ReadonlyArray<LeftOut> => leftOut
  }
}

export type LikeDaySearch = ReturnType<typeof searchLikeDays>
