import { type MetricView, zonedAt } from "./view.ts"

/** The buckets that an axis shows: their bounds, length and time zone. */
export type TimeFrame = Pick<MetricView, "bounds" | "period" | "timezone">

export interface Tick {
  /** The bucket that it marks the start of. */
  readonly bucket: number
  readonly text: string
  /** Second line at the start of a longer unit, such as the year below its first month. */
  readonly below?: string
}

/** Which buckets get a label, and its text. */
interface Labels {
  readonly isAt: (zoned: Temporal.ZonedDateTime) => boolean
  readonly text: (zoned: Temporal.ZonedDateTime) => string
  readonly below: (zoned: Temporal.ZonedDateTime) => string
}

const two = (value: number) => `${value}`.padStart(2, "0")
const nothing = () => ""
const words = (options: Intl.DateTimeFormatOptions) => (zoned: Temporal.ZonedDateTime) =>
  zoned.toPlainDate().toLocaleString("en-US", options)

const isFirstMinute = ({ hour, minute }: Temporal.ZonedDateTime) => hour === 0 && minute === 0
const year = ({ year }: Temporal.ZonedDateTime) => `${year}`
const month = words({ month: "short" })
const monthAndYear = words({ month: "short", year: "numeric" })
const date = words({ day: "numeric", month: "short", year: "numeric" })

const hours = (each: number): Labels => ({
  isAt: ({ hour, minute }) => minute === 0 && hour % each === 0,
  text: ({ hour }) => two(hour),
  below: date
})
const days = (each: number): Labels => ({
  isAt: (zoned) => isFirstMinute(zoned) && (zoned.day - 1) % each === 0 && (each === 1 || zoned.day < 30),
  text: ({ day }) => `${day}`,
  below: monthAndYear
})
const months = (each: number): Labels => ({
  isAt: (zoned) => isFirstMinute(zoned) && zoned.day === 1 && (zoned.month - 1) % each === 0,
  text: month,
  below: year
})
const years = (each: number): Labels => ({
  isAt: (zoned) => isFirstMinute(zoned) && zoned.dayOfYear === 1 && zoned.year % each === 0,
  text: year,
  below: nothing
})
const weeks = (each: number): Labels => ({
  isAt: (zoned) => zoned.dayOfWeek === 1 && Math.floor(zoned.epochMilliseconds / 604_800_000) % each === 0,
  text: words({ day: "numeric", month: "short" }),
  below: year
})

const finest: Record<MetricView["period"], ReadonlyArray<Labels>> = {
  "15m": [hours(1), hours(3), hours(6), days(1), days(5), months(1), months(3)],
  hour: [hours(1), hours(3), hours(6), days(1), days(5), months(1), months(3), years(1)],
  day: [days(1), days(5), days(10), months(1), months(3), years(1), years(5)],
  week: [weeks(1), weeks(2), weeks(4), weeks(13), weeks(52), weeks(260)],
  month: [months(1), months(3), months(6), years(1), years(5), years(10)],
  year: [years(1), years(2), years(5), years(10), years(50)]
}

const ticksBy = ({ bounds, timezone }: TimeFrame, { below, isAt, text }: Labels): ReadonlyArray<Tick> => {
  let last = ""
  return bounds.slice(0, -1).flatMap((bound, bucket) => {
    const zoned = zonedAt(bound, timezone)
    if (!isAt(zoned)) return []
    const longer = below(zoned)
    const isNew = longer !== last
    last = longer
    return [{ bucket, text: text(zoned), ...(isNew && { below: longer }) }]
  })
}

/** The finest labels of the time axis that fit; room and gap are in characters. */
export const axisTicks = (view: TimeFrame, room: number, gap: number): ReadonlyArray<Tick> => {
  for (const labels of finest[view.period]) {
    const ticks = ticksBy(view, labels)
    const longest = ticks.reduce((most, { text }) => Math.max(most, text.length), 0)
    if (ticks.length * (longest + gap) <= room) return ticks
  }
  return []
}
