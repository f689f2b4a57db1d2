import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { type MetricQuery, groupings, periods, timeframes } from "@edp/domain/metrics/MetricQuery"
import type { Period } from "@edp/domain/metrics/MetricSeries"
import { metricNames } from "@edp/domain/metrics/Metric"
import { canonicalTimezone } from "@edp/domain/shared/Timezone"
import { Clock, Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { several, text } from "../../kernel/flags.ts"
import { chartFlags } from "../chartFiles.ts"

export const metricArguments = Argument.Literals("metric", metricNames).pipe(
  Argument.withDescription("Metric; repeat for several"),
  Argument.atLeast(1)
)

export const filterFlags = {
  device: several("device", "Device: its id or the manufacturer's id of it"),
  site: several("site", "Site: its id or referenceId"),
  customer: several("customer", "Customer: their id or referenceId"),
  collection: several("collection", "Collection id"),
  tag: several("tag", "Tag of the devices"),
  type: Flag.Literals("type", deviceTypes).pipe(
    Flag.withDescription("Type of devices; repeat for several"),
    Flag.atLeast(0)
  )
}

export const spanFlags = {
  day: text("day", "A day, YYYY-MM-DD, by hour"),
  month: text("month", "A month, YYYY-MM, by day"),
  year: text("year", "A year, YYYY, by month"),
  timeframe: Flag.Literals("timeframe", timeframes).pipe(
    Flag.withDescription("Time range until now; default: 24h"),
    Flag.optional
  ),
  from: text("from", "Start: a date, or an instant such as 2025-06-21T00:00:00Z; default: 24 hours before --to"),
  to: text("to", "End, exclusive: a date or an instant; default: now")
}

export const bucketFlags = {
  period: Flag.Literals("period", periods).pipe(
    Flag.withDescription("Bucket length; default: hour up to 7 days, else day"),
    Flag.optional
  ),
  groupBy: Flag.Literals("group-by", groupings).pipe(
    Flag.withDescription("One series per device or site, for one metric"),
    Flag.optional
  ),
  timezone: Flag.String("timezone").pipe(
    Flag.withDescription("Time zone of the buckets; default: the sites', else the workspace's"),
    Flag.filter(
      (name) => canonicalTimezone(name) !== undefined,
      () => "Must be an IANA time zone, such as America/Los_Angeles"
    ),
    Flag.optional
  )
}

export const outputFlags = {
  csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV as in the API"), Flag.withDefault(false)),
  plot: Flag.Boolean("plot").pipe(Flag.withDescription("Draw curves in the terminal"), Flag.withDefault(false)),
  ...chartFlags
}

type Text = Option.Option<string>

export interface SpanFlags {
  readonly day: Text
  readonly month: Text
  readonly year: Text
  readonly timeframe: Option.Option<NonNullable<MetricQuery["timeframe"]>>
  readonly from: Text
  readonly to: Text
}

/** The time range of a metric query. */
export type AskedSpan = Pick<MetricQuery, "from" | "to" | "timeframe" | "period">

interface CalendarPart {
  readonly shape: RegExp
  readonly form: string
  /** Appended to get the first day. */
  readonly rest: string
  readonly length: Temporal.DurationLike
  readonly period: Period
}

const calendar = {
  day: { shape: /^\d{4}-\d\d-\d\d$/u, form: "YYYY-MM-DD", rest: "", length: { days: 1 }, period: "hour" },
  month: { shape: /^\d{4}-\d\d$/u, form: "YYYY-MM", rest: "-01", length: { months: 1 }, period: "day" },
  year: { shape: /^\d{4}$/u, form: "YYYY", rest: "-01-01", length: { years: 1 }, period: "month" }
} as const satisfies Record<string, CalendarPart>

const parseDate = (text: string) => {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return undefined
  }
}

/** The first instant of a day, which is not midnight in every time zone. */
const startOfDay = (date: Temporal.PlainDate, timezone: string) => date.toZonedDateTime(timezone).epochMilliseconds

const iso = (instant: number) => new Date(instant).toISOString()

const inCalendar = Effect.fnUntraced(function* (unit: keyof typeof calendar, text: string, timezone: string) {
  const { form, length, period, rest, shape } = calendar[unit]
  const first = shape.test(text) ? parseDate(text + rest) : undefined
  if (first === undefined) return yield* usage(`There is no ${unit} ${text}: --${unit} takes ${form}`)
  const [from, end] = [startOfDay(first, timezone), startOfDay(first.add(length), timezone)]
  // The future has no data and does not belong in a chart.
  const now = yield* Clock.currentTimeMillis
  return { from: iso(from), to: iso(from < now ? Math.min(end, now) : end), period } satisfies AskedSpan
})

/** An instant; a date means its beginning. */
const parseInstant = Effect.fnUntraced(function* <E, R>(
  flag: "from" | "to",
  text: string,
  timezone: Effect.Effect<string, E, R>
) {
  if (!calendar.day.shape.test(text)) return text
  const date = parseDate(text)
  return date === undefined
    ? yield* usage(`There is no day ${text}: --${flag} takes YYYY-MM-DD or a date-time`)
    : iso(startOfDay(date, yield* timezone))
})

/** The time range of the flags. The time zone is only looked up for days, months and years. */
export const askedSpan = Effect.fnUntraced(function* <E, R>(
  { day, from, month, timeframe, to, year }: SpanFlags,
  timezone: Effect.Effect<string, E, R>
) {
  const given = [day, month, year, timeframe].filter(Option.isSome).length
  const between = Option.isSome(from) || Option.isSome(to)
  if (given + (between ? 1 : 0) > 1) {
    return yield* usage("Pass one time range: --day, --month, --year, --timeframe, or --from and --to")
  }
  for (const [unit, text] of [
    ["day", day],
    ["month", month],
    ["year", year]
  ] as const) {
    if (Option.isSome(text)) return yield* inCalendar(unit, text.value, yield* timezone)
  }
  const span: { from?: string; to?: string } = {}
  if (Option.isSome(from)) span.from = yield* parseInstant("from", from.value, timezone)
  if (Option.isSome(to)) span.to = yield* parseInstant("to", to.value, timezone)
  return (Option.isSome(timeframe) ? { timeframe: timeframe.value } : span) as AskedSpan
})
