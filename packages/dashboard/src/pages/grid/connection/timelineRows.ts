import type { GridTimeline, GridTimelineSegment } from "@edp/domain/grid/GridEvent"

/** A time of a row in which the same payloads hold. `left` and `width` are shares of the timeline, from 0 to 1. */
export interface Band {
  readonly segment: GridTimelineSegment
  readonly left: number
  readonly width: number
}

export interface TimelineRow {
  readonly programId: string
  readonly bands: ReadonlyArray<Band>
  /** The segment that holds at the start of the timeline. */
  readonly present: GridTimelineSegment | undefined
}

/** The rows of a timeline, one for each program that has something in it. */
export const timelineRows = ({ from, segments, to }: GridTimeline): ReadonlyArray<TimelineRow> => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const share = (time: number) => Math.min(1, Math.max(0, (time - start) / (end - start)))
  const byProgram = Map.groupBy(segments, ({ programId }) => programId)
  return [...byProgram].map(([programId, own]) => ({
    programId,
    present: own.find(({ startsAt }) => Date.parse(startsAt) <= start),
    bands: own.map((segment) => {
      const left = share(Date.parse(segment.startsAt))
      const right = segment.endsAt === null ? 1 : share(Date.parse(segment.endsAt))
      return { segment, left, width: right - left }
    })
  }))
}

const HOUR = 3_600_000

/** The times that the timeline marks: full hours by local time that are multiples of six. */
export const markedHours = (
  { from, to }: Pick<GridTimeline, "from" | "to">,
  localHour: (time: number) => number
): ReadonlyArray<{ readonly time: number; readonly left: number }> => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const marks: Array<{ readonly time: number; readonly left: number }> = []
  // Offsets of time zones are multiples of a quarter of an hour.
  for (let time = Math.ceil(start / (HOUR / 4)) * (HOUR / 4); time < end; time += HOUR / 4) {
    const hour = localHour(time)
    if (Number.isInteger(hour) && hour % 6 === 0) marks.push({ time, left: (time - start) / (end - start) })
  }
  return marks
}
