import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { RefusalReason } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { RefusedUses } from "../audit/RefusedUses.ts"
import { KeyAuthenticator } from "../api-keys/KeyAuthenticator.ts"
import { Backlogs } from "../dashboard/health/Backlogs.ts"
import {
  type Family,
  gauge,
  processFamilies,
  prometheusText,
  watchEventLoop
} from "../platform/observability/processMetrics.ts"
import { RequestsInFlight } from "../platform/observability/RequestsInFlight.ts"
import { VERSION } from "../platform/observability/Traces.ts"
import { ownSlot, sharedPort, supervisor } from "../platform/processes/ownSlot.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { type ConnectionUse, connectionUse } from "../platform/sql/pooledClient.ts"
import { replicaIn } from "../platform/replicas/readReplica.ts"
import { failedAuthentications } from "../platform/rate-limits/failedAuthentications.ts"
import { keyLimits } from "../platform/rate-limits/keyLimits.ts"
import { CurrentRequest, type RequestInfo } from "../platform/http/RequestInfo.ts"
import { listenError } from "../platform/http/listening.ts"

const buildInfo = gauge("edp_build_info", "The version that runs; always 1", {
  labels: { version: VERSION, node_version: process.version },
  value: 1
})

const connectionFamilies = (use: ConnectionUse | undefined): ReadonlyArray<Family> =>
  use === undefined
    ? []
    : [
        gauge("edp_database_connections_max", "Connections that statements may use at once", { value: use.most }),
        gauge("edp_database_connections_in_use", "Connections that statements use", { value: use.inUse }),
        gauge("edp_database_connections_waiting", "Statements that wait for a connection", { value: use.waiting })
      ]

/** The figures of this process since its start, as Prometheus text. */
const makeOwnFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requests = yield* RequestsInFlight
  return Effect.gen(function* () {
    const families = [
      buildInfo,
      ...processFamilies(yield* Clock.currentTimeMillis),
      gauge("edp_http_requests_in_flight", "Requests that are being answered", { value: requests.count }),
      ...connectionFamilies(connectionUse(sql)),
      ...(yield* replicaIn(sql)?.families ?? Effect.succeed([]))
    ]
    return `${prometheusText(families)}${yield* PrometheusMetrics.format()}`
  })
})

/** Tells the supervisor of this process its figures when it asks, for those of all its processes. */
export const ToldFigures = Layer.effectDiscard(
  Effect.gen(function* () {
    watchEventLoop()
    const figures = yield* makeOwnFigures
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    supervisor.tellFigures(() => run(figures))
  })
)

/** Metrics of the processes of this machine, and of the database that they may share with other instances. */
const makeScrape = Effect.gen(function* () {
  const backlogs = yield* Backlogs
  const figures = ownSlot === undefined ? yield* makeOwnFigures : Effect.promise(supervisor.figures)
  return Effect.gen(function* () {
    return HttpServerResponse.text(`${yield* figures}${prometheusText(yield* backlogs.families)}`, {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  })
})

/** Before version 3 Prometheus can only send a bearer token, not other headers. */
const requestKey = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["service-api-key"] ?? /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? ""

const forbidden = new Unauthenticated({})

/** On the API's port `/metrics` needs a MANAGEMENT key, because it covers every workspace, and counts against its limits. */
const behindKey = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const scrape = yield* makeScrape
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
      Effect.catchTag(keys.authenticate(Redacted.make(credential)), "KeyRefused", ({ ended }) => {
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
        const key = yield* authenticate(info, requestKey(request))
        info.keyId = key.id
        info.workspaceId = key.workspaceId
        if (key.type !== "MANAGEMENT") return yield* refuseKey(info, key, "WRONG_KEY_TYPE")
        return yield* limited("read", key, info, scrape)
      }).pipe(Effect.catch((error) => HttpServerRespondable.toResponse(error)))
    )
  })
)

const scrapedAlone = Effect.map(makeScrape, (scrape) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
    method === "GET" && url.split("?", 1)[0] === "/metrics"
      ? scrape
      : Effect.succeed(HttpServerResponse.text("Metrics are at GET /metrics\n", { status: 404 }))
  )
)

/** Without `HttpRouter`: its Layer is shared within a build, so this port would serve the routes of the API. */
const ownPort = (port: number, host: string) =>
  Layer.unwrap(Effect.map(scrapedAlone, (response) => HttpServer.serve(response))).pipe(
    Layer.provide(NodeHttpServer.layer(createServer, { port, host, ...sharedPort })),
    Layer.catch(listenError("EDP_METRICS_PORT", host, port))
  )

/** Metrics for Prometheus: on a separate port with EDP_METRICS_PORT, otherwise with a MANAGEMENT key. */
export const MetricsLive = Layer.unwrap(
  Effect.gen(function* () {
    watchEventLoop()
    const { metricsPort, host } = yield* ServerConfig
    return Option.isSome(metricsPort) ? ownPort(metricsPort.value, host) : behindKey
  })
)
