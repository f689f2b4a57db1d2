import { AccessLog } from "@edp/server/platform/http/AccessLog"
import { boundary } from "@edp/server/app/middleware/boundary"
import { listenOn } from "@edp/server/app/Server"
import { ConnectFlow } from "@edp/server/connections/flow/ConnectFlow"
import { ConnectPages } from "@edp/server/connections/ConnectPages"
import { EnrollFlow } from "@edp/server/enrollments/flow/EnrollFlow"
import { EnrollPages } from "@edp/server/enrollments/EnrollPages"
import { RateLimitStore } from "@edp/server/platform/rate-limits/RateLimitStore"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { UnreadResponses } from "@edp/server/platform/observability/UnreadResponses"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { EncryptionKeys } from "@edp/server/platform/secrets/EncryptionKeys"
import { ConfigProvider, Effect, Layer, Logger, ManagedRuntime, Option, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** Responses to the requests for logos. */
export type Remote = (request: HttpClientRequest.HttpClientRequest) => Response

const noRemote: Remote = () => new Response(null, { status: 404 })

const outbound = (remote: Remote) => {
  const client = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, remote(request))))
  return Layer.succeed(OutboundHttp, {
    post: () => Effect.never,
    send: () => Effect.never,
    client: Effect.succeed(client)
  })
}

const keys = Layer.succeed(EncryptionKeys, {
  current: Redacted.make<Uint8Array>(new Uint8Array(32).fill(7)),
  previous: Option.none()
})

export interface PagesServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

interface PagesOptions {
  readonly remote?: Remote
  readonly publicUrl?: string
  /** The flow of the enrollment pages; without one they know no program. */
  readonly enrollment?: EnrollFlow["Service"]
}

const connectAlone = Layer.succeed(
  EnrollFlow,
  new Proxy({} as EnrollFlow["Service"], { get: () => () => Effect.never })
)

/** The hosted pages behind the server's own boundary, over flows of the test's. */
export const startPages = async (flow: ConnectFlow["Service"], options: PagesOptions = {}): Promise<PagesServer> => {
  const enrollment = options.enrollment === undefined ? connectAlone : Layer.succeed(EnrollFlow, options.enrollment)
  const app = HttpRouter.serve(
    Layer.merge(
      ConnectPages.layer.pipe(Layer.provide([Layer.succeed(ConnectFlow, flow), RateLimitStore.layerMemory])),
      EnrollPages.layer.pipe(Layer.provide([enrollment, RateLimitStore.layerMemory]))
    ).pipe(Layer.provide(boundary.pipe(Layer.provide(UnreadResponses.layer)))),
    { disableLogger: true, disableListenLog: true }
  )
  const env = options.publicUrl === undefined ? {} : { EDP_PUBLIC_URL: options.publicUrl }
  const layer = app.pipe(
    Layer.provide([outbound(options.remote ?? noRemote), keys]),
    Layer.provideMerge(listenOn({ port: 0, host: "127.0.0.1" })),
    Layer.provide(AccessLog.layerSilent),
    Layer.provide(Logger.layer([])),
    Layer.provide(ServerConfig.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  const runtime = ManagedRuntime.make(layer)
  const { address } = await runtime.runPromise(HttpServer.HttpServer)
  return {
    url: `http://127.0.0.1:${(address as { readonly port: number }).port}`,
    stop: () => runtime.dispose()
  }
}
