import type { Unit } from "../i18n/format.ts"

/** A value at a time in milliseconds since 1970; null where nothing was measured. */
export type Point = readonly [time: number, value: number | null]

export interface Series {
  readonly id: string
  readonly name: string
  readonly unit: Unit
  /** In order of time. A null breaks the line: nothing is drawn where nothing was measured. */
  readonly points: ReadonlyArray<Point>
  readonly kind: "line" | "area" | "bar" | "step"
  /** Number of the chart's colour, 1 to 6. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6
  /** Bars with the same stack are put on each other. */
  readonly stack?: string
  readonly dashed?: boolean
}

/** A time span that explains the chart, such as an outage or a dispatch. */
export interface Band {
  readonly from: number
  /** Null: it lasts. */
  readonly to: number | null
  readonly label: string
  readonly state: "outage" | "dispatch" | "clock" | "alert"
}

export interface TimeChartProps {
  /** Says what the chart shows, for screen readers. */
  readonly title: string
  readonly series: ReadonlyArray<Series>
  readonly bands?: ReadonlyArray<Band>
  /** The time that the axis spans, in milliseconds since 1970; also where nothing was measured. */
  readonly from: number
  readonly to: number
  /** Says why there are no values, where it is not that nothing was read. */
  readonly empty?: string
  /** The time zone of the axis, such as that of the site; without it the browser's. */
  readonly timeZone?: string
  readonly height?: number
  /** How the times of values are written, such as the month alone; by default date and time. */
  readonly timeFormat?: Intl.DateTimeFormatOptions
}

/** Breaks the line wherever two neighbours are further apart than `longest` milliseconds, so that a gap shows as a gap. */
export const withGaps = (points: ReadonlyArray<Point>, longest: number): ReadonlyArray<Point> =>
  points.flatMap((point, index) => {
    const before = points[index - 1]
    return before !== undefined && point[0] - before[0] > longest ? [[before[0] + 1, null] as const, point] : [point]
  })

const median = (sorted: ReadonlyArray<number>) => sorted[Math.floor((sorted.length - 1) / 2)]!

/** Neighbours on each side by which the usual distance of two readings is judged. */
const NEIGHBOURS = 5

/**
 * Breaks the line where the device fell silent: where two readings are more than `times` as far apart as those around them, and at
 * least `least` milliseconds. A device that reports by the minute today and reported by the quarter of an hour yesterday has no gaps.
 */
export const withSilences = (points: ReadonlyArray<Point>, least = 120_000, times = 3): ReadonlyArray<Point> => {
  const distances = points.slice(1).map(([time], index) => time - points[index]![0])
  return points.flatMap((point, index) => {
    const distance = distances[index - 1]
    if (distance === undefined || distance <= least) return [point]
    const around = distances.slice(Math.max(0, index - 1 - NEIGHBOURS), index + NEIGHBOURS).toSorted((a, b) => a - b)
    return around.length >= 3 && distance > times * median(around) ? [[point[0] - distance + 1, null], point] : [point]
  })
}
