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
import { csvExample, seriesOf } from "./MetricSeries.ts"
import { MAX_ANSWER, MAX_DEVICES, MAX_DEVICE_DAYS, MAX_POINTS, MetricQuery } from "./MetricQuery.ts"

/** Room for the longest line of the table. */
const CSV_LINE = 160

/** The answer as a table, for who asks with `Accept: text/csv`. */
const csv = StoredText(CSV_LINE * MAX_ANSWER)
  .annotate({
    identifier: "MetricCsv",
    description:
      "The points as CSV: a header line, then timestamp, value, unit, coverage, deviceId and siteId of each, the last two empty where the series has none, and value empty where it is null",
    examples: [csvExample]
  })
  .pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const count = (value: number) => value.toLocaleString("en")

const common = `Without filters it is the whole workspace; several filters all apply. A sum over devices counts each energy once: the devices of a site give one figure by the rules of the metric, quarter of an hour by quarter, a site's only device its own, and sites and devices without a site are added up. A device counts, with its whole past, at the site where it is now. Ask with \`Accept: text/csv\` for CSV. More than ${count(MAX_POINTS)} points a series, ${count(MAX_ANSWER)} points in all, ${count(MAX_DEVICES)} devices or ${count(MAX_DEVICE_DAYS)} days of devices are VALIDATION_ERROR, which says what to ask for instead.`

const metric = <const Name extends MetricName>(name: Name) =>
  HttpApiEndpoint.get(name, `/${name}`, {
    headers: {
      accept: Schema.optionalKey(
        Schema.String.annotate({ description: "`text/csv` for CSV; anything else is answered with JSON" })
      )
    },
    query: MetricQuery,
    success: [seriesOf(name), csv],
    error: [ValidationError, DeviceNotFound, SiteNotFound, CustomerNotFound, CollectionNotFound]
  }).annotateMerge(describe(workspaceKeys, `Get ${name}`, `${metricTable[name].description}.\n\n${common}`))

export class MetricsApi extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("list", "/", { query: paging(), success: Page(Metric), error: ValidationError }).annotateMerge(
      describe(workspaceKeys, "List metrics", "What can be asked for, each at an endpoint of its name.")
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
        "Energies over time, computed from the devices' readings: lifetime counters where there are any, else energies since the previous reading, else the integral of power between readings at most 90 minutes apart. Buckets follow the days and hours of a time zone with its daylight saving, and whatever arrives late is in the next answer."
    })
  ) {}
