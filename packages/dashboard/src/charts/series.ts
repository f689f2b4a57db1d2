import type { Unit } from "../i18n/format.ts"
import type { RecordTarget } from "../kit/recordLinks.tsx"

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
  /** The values are drawn downwards: the uses of a balance. */
  readonly isDown?: boolean
  /** Belongs to the other period that is laid over. */
  readonly isOverlay?: boolean
  /** How the line or the bar is drawn, beside its colour; by default each line of a chart in another way. */
  readonly pattern?: Pattern
}

/** Solid, dashed, dotted, dashed and dotted; then the dashes of lines that are laid over. */
export type Pattern = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** A time span that explains the chart, such as an outage or a dispatch. */
export interface Band {
  /** The record that the band is about. */
  readonly link?: RecordTarget
  readonly from: number
  /** Null: it lasts. */
  readonly to: number | null
  readonly label: string
  readonly state: "outage" | "dispatch" | "clock" | "alert" | "command"
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
  /** Shows a part of the time that was chosen by dragging. */
  readonly onZoom?: (from: number, to: number) => void
}

/** The series of another period at the times of the present one, as far as they are within it. */
export const laidOver = (
  series: ReadonlyArray<Series>,
  align: (time: number) => number,
  { from, to }: { readonly from: number; readonly to: number },
  name: string
): ReadonlyArray<Series> =>
  series.map(({ id, name: own, unit, color, kind, isDown = false, points }) => ({
    id: `${id} before`,
    name: `${own}, ${name}`,
    unit,
    color,
    kind: kind === "line" || kind === "area" ? "line" : "step",
    isDown,
    isOverlay: true,
    points: points.map(([time, value]): Point => [align(time), value]).filter(([time]) => time >= from && time < to)
  }))

const patterns: ReadonlyArray<Pattern> = [0, 2, 3, 1]
const overlayPatterns: ReadonlyArray<Pattern> = [1, 4, 5, 6]

/** The pattern of each series: those of one chart are told apart without colours. */
export const seriesPatterns = (series: ReadonlyArray<Series>): ReadonlyMap<string, Pattern> => {
  const found = new Map<string, Pattern>()
  let next = 0
  let overlays = 0
  for (const { id, dashed, isOverlay, pattern } of series) {
    if (isOverlay) found.set(id, overlayPatterns[overlays++ % overlayPatterns.length]!)
    else found.set(id, pattern ?? (dashed ? 1 : patterns[next++ % patterns.length]!))
  }
  return found
}

/** The index of the last point that is not after a time; -1 if there is none. */
const lastIndex = (points: ReadonlyArray<Point>, time: number) => {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]![0] <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * The value that a series shows at a time: of the bucket or step it is in, or of the nearest point of a line. The last one holds for as
 * long as the one before it.
 */
export const valueAt = ({ kind, points }: Series, time: number): number | null => {
  const index = lastIndex(points, time)
  const before = points[index]
  const after = points[index + 1]
  if (before === undefined) return null
  if (after === undefined && time - before[0] > before[0] - (points[index - 1]?.[0] ?? before[0])) return null
  const isNearer = after !== undefined && after[1] !== null && after[0] - time < time - before[0]
  return isNearer && (kind === "line" || kind === "area") ? after[1] : before[1]
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
