import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import {
  CollectionNotFound,
  CustomerNotFound,
  DeviceNotFound,
  SiteNotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { Page, paging } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import { Metric, type MetricName, metricTable } from "./Metric.ts"
import { csvExample, makeSeriesSchema } from "./MetricSeries.ts"
import { bySite, MAX_RESPONSE, MAX_DEVICES, MAX_DEVICE_DAYS, MAX_POINTS, MetricQuery } from "./MetricQuery.ts"

/** Maximum length of a line. */
const CSV_LINE = 160

/** The response to `Accept: text/csv`. */
const csv = StoredText(CSV_LINE * bySite.points)
  .annotate({
    identifier: "MetricCsv",
    description:
      "The points as CSV: a header line, then timestamp, value, unit, coverage, deviceId and siteId of each point; deviceId and siteId are empty if the series has none, value is empty if it is null",
    examples: [csvExample]
  })
  .pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const count = (value: number) => value.toLocaleString("en")

const common = `Without filters the metric covers the whole workspace; several filters are combined with AND. A sum over devices counts each energy once: the devices of a site are reconciled into one value per 15 minutes by the rules of the metric, and the values of all sites and of devices without a site are added. A device counts, with its whole history, at its current site. Send \`Accept: text/csv\` for CSV. More than ${count(MAX_POINTS)} points a series, ${count(MAX_RESPONSE)} points in all, ${count(MAX_DEVICES)} devices or ${count(MAX_DEVICE_DAYS)} days of devices are VALIDATION_ERROR, and its message says how to narrow the query. With \`groupBy=site\` the limits are ${count(bySite.points)} points, ${count(bySite.devices)} devices and ${count(bySite.deviceDays)} days of devices. A query for a whole workspace of 2,000 devices or more, without filters and groups, may cover any number of devices, and only counts the days of devices that have no kept sum; sums are kept by day in the workspace's time zone, and weeks, months and years are sums of days, except for \`storage\`.`

const metric = <const Name extends MetricName>(name: Name) =>
  HttpApiEndpoint.get(name, `/${name}`, {
    headers: {
      accept: Schema.optionalKey(
        Schema.String.annotate({ description: "`text/csv` for CSV; anything else is answered with JSON" })
      )
    },
    query: MetricQuery,
    success: [makeSeriesSchema(name), csv],
    error: [ValidationError, DeviceNotFound, SiteNotFound, CustomerNotFound, CollectionNotFound]
  }).annotateMerge(describe(workspaceKeys, `Get ${name}`, `${metricTable[name].description}.\n\n${common}`))

export class MetricsApi extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("list", "/", { query: paging(), success: Page(Metric), error: ValidationError }).annotateMerge(
      describe(workspaceKeys, "List metrics", "The metrics that can be queried, each at the endpoint of its name.")
    ),
    metric("consumption"),
    metric("production"),
    metric("generation"),
    metric("storage"),
    metric("grid"),
    metric("charging"),
    metric("load")
  )
  .prefix("/v1/metrics")
  .annotateMerge(
    OpenApi.annotations({
      title: "Metrics",
      description:
        "Energies over time, computed from the devices' readings: from lifetime counters if present, else from energies since the previous reading, else by integrating power between readings at most 90 minutes apart. Buckets follow the days and hours of a time zone, daylight saving included. Late readings are included in the next response."
    })
  ) {}
