import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { metricCsv, metricJson } from "@edp/domain/metrics/MetricSeries"
import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Effect, Semaphore, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { prefersCsv, varyingByAccept } from "../platform/http/prefersCsv.ts"
import { type MetricResponse, type MetricParts, Metrics } from "./Metrics.ts"

interface Request {
  readonly query: MetricQuery
  readonly headers: { readonly accept?: string }
}

/** The JSON response, part by part. */
const jsonParts = ({ meta, parts }: MetricParts) => {
  const head = `{"data":[`
  const tail = `],"meta":${JSON.stringify(meta)}}`
  let isFirst = true
  return parts.pipe(
    Stream.map((data) => {
      const points = metricJson({ data, meta }).slice(head.length, -tail.length)
      const text = isFirst || points === "" ? points : `,${points}`
      if (points !== "") isFirst = false
      return text
    }),
    (points) => Stream.concat(Stream.concat(Stream.make(head), points), Stream.make(tail))
  )
}

/** The CSV response, part by part; only the first part has the header. */
const csvParts = ({ meta, parts }: MetricParts) =>
  Stream.mapAccum(
    parts,
    () => true,
    (isFirst, data) => {
      const text = metricCsv({ data, meta })
      return [false, [isFirst ? text : text.slice(text.indexOf("\n") + 1)]] as const
    }
  )

/**
 * Points are not validated against their schema: there may be hundreds of thousands. The text of a series that is not sent in parts is
 * made in one piece, so that few such series are in memory before `UnreadResponses` counts their bytes.
 */
const respond = (response: MetricResponse, accept: string | undefined) => {
  const isCsv = prefersCsv(accept)
  if ("parts" in response) {
    const text = isCsv ? csvParts(response) : jsonParts(response)
    return HttpServerResponse.stream(Stream.encodeText(text), { contentType: isCsv ? "text/csv" : "application/json" })
  }
  if (isCsv) return metricCsv(response)
  return HttpServerResponse.uint8Array(Buffer.from(metricJson(response)), { contentType: "application/json" })
}

/** Points of a series whose text takes the processor for milliseconds. */
const LARGE = 1000

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

export const MetricsHandlers = groupHandlers(
  Api,
  "metrics",
  Effect.fn(function* (handlers) {
    const metrics = yield* Metrics
    const texts = yield* Semaphore.make(1)
    /** One text at a time, and other work between two: many callers may ask for large series at once. */
    const respondInTurn = (response: MetricResponse, accept: string | undefined) =>
      Effect.sync(() => respond(response, accept)).pipe(
        Effect.tap(() => ("parts" in response || response.data.length < LARGE ? Effect.void : nextTurn)),
        texts.withPermit
      )
    const read =
      <Name extends MetricName>(name: Name) =>
      ({ headers, query }: Request) =>
        Effect.flatMap(CurrentKey, (caller) => metrics.read(caller, name, query)).pipe(
          Effect.flatMap((response) => respondInTurn(response, headers.accept)),
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
