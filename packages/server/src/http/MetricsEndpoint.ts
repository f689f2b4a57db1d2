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
import { failedAuthentications } from "./middleware/failedAuthentications.ts"
import { keyLimits } from "./middleware/keyLimits.ts"
import { CurrentRequest, type RequestInfo } from "./RequestInfo.ts"
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

const forbidden = new Unauthenticated({})

/** On the API's own port `/metrics` takes a MANAGEMENT key, because it tells of every workspace, and its limits hold. */
const behindKey = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const keys = yield* KeyAuthenticator
    const refused = yield* RefusedUses
    const refuse = yield* failedAuthentications
    const limited = yield* keyLimits
    const route = "/metrics"

    const refuseKey = (info: RequestInfo, key: CurrentKey["Service"], reason: RefusalReason) => {
      refused.note({ key, reason, method: "GET", route, address: info.address, requestId: info.id })
      return refuse(forbidden)
    }

    const authenticate = (info: RequestInfo, credential: string) =>
      Effect.catch(keys.authenticate(Redacted.make(credential)), ({ ended }) => {
        if (ended !== undefined) return refuseKey(info, ended.key, ended.reason)
        refused.noteUnknown()
        return refuse(forbidden)
      })

    yield* router.add(
      "GET",
      route,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const info = yield* CurrentRequest
        info.route = route
        const key = yield* authenticate(info, request.headers["service-api-key"] ?? "")
        info.keyId = key.id
        info.workspaceId = key.workspaceId
        if (key.type !== "MANAGEMENT") return yield* refuseKey(info, key, "WRONG_KEY_TYPE")
        return yield* limited("read", key, info, scrape)
      }).pipe(Effect.catch((error) => HttpServerRespondable.toResponse(error)))
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
