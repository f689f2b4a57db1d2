import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { RefusalReason } from "@edp/domain/audit/Refusal"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Effect, Layer, Metric, Option, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { RefusedUses } from "../audit/RefusedUses.ts"
import { KeyAuthenticator } from "../api-keys/KeyAuthenticator.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { CurrentRequest } from "./RequestInfo.ts"
import { listenError } from "./listenError.ts"

const residentMemory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of the process" })
const loopDelay = Metric.gauge("nodejs_eventloop_lag_p99_milliseconds", {
  description: "99th percentile of the event loop's delay since the last scrape"
})
const delay = monitorEventLoopDelay({ resolution: 20 })

const scrape = Effect.gen(function* () {
  yield* Metric.update(residentMemory, process.memoryUsage.rss())
  yield* Metric.update(loopDelay, delay.percentile(99) / 1e6)
  delay.reset()
  return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
    contentType: "text/plain; version=0.0.4; charset=utf-8"
  })
})

/** On the API's own port `/metrics` takes a MANAGEMENT key: it tells of every workspace. */
const behindKey = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const keys = yield* KeyAuthenticator
    const refused = yield* RefusedUses
    const route = "/metrics"
    const refuse = (key: CurrentKey["Service"], reason: RefusalReason) =>
      Effect.flatMap(CurrentRequest, ({ address, id: requestId }) => {
        refused.note({ key, reason, method: "GET", route, address, requestId })
        return HttpServerRespondable.toResponse(new Unauthenticated({}))
      })
    const refuseUnknown = Effect.suspend(() => {
      refused.noteUnknown()
      return HttpServerRespondable.toResponse(new Unauthenticated({}))
    })
    yield* router.add(
      "GET",
      route,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = yield* keys.authenticate(Redacted.make(request.headers["service-api-key"] ?? ""))
        return yield* key.type === "MANAGEMENT" ? scrape : refuse(key, "WRONG_KEY_TYPE")
      }).pipe(Effect.catch(({ ended }) => (ended === undefined ? refuseUnknown : refuse(ended.key, ended.reason))))
    )
  })
)

const scrapedAlone = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
  method === "GET" && url.split("?", 1)[0] === "/metrics"
    ? scrape
    : Effect.succeed(HttpServerResponse.text("Metrics are at GET /metrics\n", { status: 404 }))
)

/** Without `HttpRouter`: its Layer is shared within a build, so this port would take over the routes of the API. */
const ownPort = (port: number, host: string) =>
  HttpServer.serve(scrapedAlone).pipe(
    Layer.provide(NodeHttpServer.layer(createServer, { port, host })),
    Layer.catch(listenError("EDP_METRICS_PORT", host, port))
  )

/** Prometheus text: on a port of its own when EDP_METRICS_PORT is set, else with a MANAGEMENT key. */
export const MetricsLive = Layer.unwrap(
  Effect.gen(function* () {
    delay.enable()
    const { metricsPort, host } = yield* ServerConfig
    return Option.isSome(metricsPort) ? ownPort(metricsPort.value, host) : behindKey
  })
)
