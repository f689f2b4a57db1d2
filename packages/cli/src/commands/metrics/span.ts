import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { Clock, Effect, Option } from "effect"
import { usage } from "../../CliFailure.ts"

type Text = Option.Option<string>

export interface SpanFlags {
  readonly day: Text
  readonly month: Text
  readonly year: Text
  readonly timeframe: Option.Option<NonNullable<MetricQuery["timeframe"]>>
  readonly from: Text
  readonly to: Text
}

/** What a question says of time. */
export type AskedSpan = Pick<MetricQuery, "from" | "to" | "timeframe" | "period">

interface CalendarPart {
  readonly shape: RegExp
  readonly form: string
  /** What makes its first day of it. */
  readonly rest: string
  readonly length: Temporal.DurationLike
  readonly period: Period
}

const calendar = {
  day: { shape: /^\d{4}-\d\d-\d\d$/u, form: "YYYY-MM-DD", rest: "", length: { days: 1 }, period: "hour" },
  month: { shape: /^\d{4}-\d\d$/u, form: "YYYY-MM", rest: "-01", length: { months: 1 }, period: "day" },
  year: { shape: /^\d{4}$/u, form: "YYYY", rest: "-01-01", length: { years: 1 }, period: "month" }
} as const satisfies Record<string, CalendarPart>

const dateOf = (text: string) => {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return undefined
  }
}

/** The first instant of a day, which need not be a midnight. */
const beginningOf = (date: Temporal.PlainDate, timezone: string) => date.toZonedDateTime(timezone).epochMilliseconds

const iso = (instant: number) => new Date(instant).toISOString()

const inCalendar = Effect.fnUntraced(function* (unit: keyof typeof calendar, text: string, timezone: string) {
  const { form, length, period, rest, shape } = calendar[unit]
  const first = shape.test(text) ? dateOf(text + rest) : undefined
  if (first === undefined) return yield* usage(`There is no ${unit} ${text}: --${unit} takes ${form}`)
  const [from, end] = [beginningOf(first, timezone), beginningOf(first.add(length), timezone)]
  // What is still to come has no energies, and is no part of what a chart should show.
  const now = yield* Clock.currentTimeMillis
  return { from: iso(from), to: iso(from < now ? Math.min(end, now) : end), period } satisfies AskedSpan
})

/** An instant as it is written; a day stands for its beginning. */
const instantOf = Effect.fnUntraced(function* <E, R>(
  flag: "from" | "to",
  text: string,
  timezone: Effect.Effect<string, E, R>
) {
  if (!calendar.day.shape.test(text)) return text
  const date = dateOf(text)
  return date === undefined
    ? yield* usage(`There is no day ${text}: --${flag} takes YYYY-MM-DD or a date-time`)
    : iso(beginningOf(date, yield* timezone))
})

/** The span that the flags name; days, months and years are those of the time zone, which is asked for only then. */
export const askedSpan = Effect.fnUntraced(function* <E, R>(
  { day, from, month, timeframe, to, year }: SpanFlags,
  timezone: Effect.Effect<string, E, R>
) {
  const given = [day, month, year, timeframe].filter(Option.isSome).length
  const between = Option.isSome(from) || Option.isSome(to)
  if (given + (between ? 1 : 0) > 1) {
    return yield* usage("One span at a time: --day, --month, --year, --timeframe, or --from and --to")
  }
  for (const [unit, text] of [
    ["day", day],
    ["month", month],
    ["year", year]
  ] as const) {
    if (Option.isSome(text)) return yield* inCalendar(unit, text.value, yield* timezone)
  }
  const span: { from?: string; to?: string } = {}
  if (Option.isSome(from)) span.from = yield* instantOf("from", from.value, timezone)
  if (Option.isSome(to)) span.to = yield* instantOf("to", to.value, timezone)
  return (Option.isSome(timeframe) ? { timeframe: timeframe.value } : span) as AskedSpan
})
