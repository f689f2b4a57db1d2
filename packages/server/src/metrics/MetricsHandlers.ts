import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { type MetricSeries, metricCsv, metricJson } from "@edp/domain/metrics/MetricSeries"
import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { handlersOf } from "../platform/http/handlersOf.ts"
import { varyingBy } from "../platform/http/compression.ts"
import { prefersCsv } from "../platform/http/prefersCsv.ts"
import { Metrics } from "./Metrics.ts"

interface Request {
  readonly query: MetricQuery
  readonly headers: { readonly accept?: string }
}

/** The same address answers JSON or CSV: a cache must know. */
const varyingByAccept = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(varyingBy(response, "Accept"))
)

/** A series is written as it is: thousands of points need not be held against their schema, having been made by it. */
const unchecked = (series: MetricSeries) =>
  HttpServerResponse.uint8Array(Buffer.from(metricJson(series)), { contentType: "application/json" })

export const MetricsHandlers = handlersOf(
  Api,
  "metrics",
  Effect.fn(function* (handlers) {
    const metrics = yield* Metrics
    const read =
      <Name extends MetricName>(name: Name) =>
      ({ headers, query }: Request) =>
        Effect.flatMap(CurrentKey, (caller) => metrics.read(caller, name, query)).pipe(
          Effect.map((series) => (prefersCsv(headers.accept) ? metricCsv(series) : unchecked(series))),
          Effect.ensuring(varyingByAccept)
        )
    return handlers.handleAll({
      list: ({ query }) => Effect.succeed(metrics.list(query)),
      consumption: read("consumption"),
      production: read("production"),
      generation: read("generation"),
      storage: read("storage"),
      grid: read("grid"),
      charging: read("charging"),
      load: read("load")
    })
  })
)
