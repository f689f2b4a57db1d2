import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { groupings, periods, timeframes } from "@edp/domain/metrics/MetricQuery"
import { metricNames } from "@edp/domain/metrics/Metric"
import { canonicalTimezone } from "@edp/domain/shared/Timezone"
import { Argument, Flag } from "effect/cli"
import { several, text } from "../../flags.ts"

export const metricArguments = Argument.Literals("metric", metricNames).pipe(
  Argument.withDescription("What to show; several are shown beside each other"),
  Argument.atLeast(1)
)

/** Whose energies. */
export const filterFlags = {
  device: several("device", "Device: its id or the manufacturer's id of it"),
  site: several("site", "Site: its id or referenceId"),
  customer: several("customer", "Customer: their id or referenceId"),
  collection: several("collection", "Collection id"),
  tag: several("tag", "Tag of devices"),
  type: Flag.Literals("type", deviceTypes).pipe(
    Flag.withDescription("Type of devices; repeat for several"),
    Flag.atLeast(0)
  )
}

/** Of which time. */
export const spanFlags = {
  day: text("day", "A day of the calendar, YYYY-MM-DD; by the hour"),
  month: text("month", "A month, YYYY-MM; by the day"),
  year: text("year", "A year, YYYY; by the month"),
  timeframe: Flag.Literals("timeframe", timeframes).pipe(
    Flag.withDescription("Back from now; default: 24h"),
    Flag.optional
  ),
  from: text("from", "Beginning: a day, or an instant such as 2025-06-21T00:00:00Z; default: 24 hours before --to"),
  to: text("to", "End: a day, which is not included any more, or an instant; default: now")
}

export const bucketFlags = {
  period: Flag.Literals("period", periods).pipe(
    Flag.withDescription("Length of a bucket; default: hour up to 7 days, day beyond"),
    Flag.optional
  ),
  groupBy: Flag.Literals("group-by", groupings).pipe(
    Flag.withDescription("A series for each device or site, of one metric"),
    Flag.optional
  ),
  timezone: Flag.String("timezone").pipe(
    Flag.withDescription("Time zone of the buckets; default: that of the sites, else the workspace's"),
    Flag.filter(
      (name) => canonicalTimezone(name) !== undefined,
      () => "Must be a time zone of the IANA database, such as America/Los_Angeles"
    ),
    Flag.optional
  )
}

export const outputFlags = {
  csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV, as the API answers it"), Flag.withDefault(false)),
  plot: Flag.Boolean("plot").pipe(Flag.withDescription("Draw curves on the terminal"), Flag.withDefault(false)),
  svg: Flag.File("svg").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Write a chart as SVG, instead of a table"),
    Flag.optional
  ),
  png: Flag.File("png").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Write a chart as PNG, instead of a table"),
    Flag.optional
  ),
  title: text("title", "Title of the chart; default: the metrics' names")
}
