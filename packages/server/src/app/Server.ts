import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { FrontServer, ListeningServer } from "../platform/http/FrontServer.ts"
import * as dashboard from "../dashboard/layer.ts"
import { HttpApp } from "./Api.ts"
import { InboundConnections } from "./InboundConnections.ts"
import { listenError } from "../platform/http/listening.ts"
import { narrowServer } from "../platform/http/narrowServer.ts"
import { serverLimits } from "../platform/http/serverLimits.ts"
import { RequestsInFlight } from "../platform/observability/RequestsInFlight.ts"
import { ownSlot, sharedPort } from "../platform/processes/ownSlot.ts"
import { layerSupervised } from "../platform/rate-limits/SupervisedRateLimitStore.ts"
import { layerRedis } from "../platform/rate-limits/RedisRateLimitStore.ts"
import { RateLimitStore } from "../platform/rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"

// Paths match the document exactly. An id of any length is an unknown resource, not an unknown route.
const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: serverLimits.maxHeaderSize }

const limitsOfMachine = ownSlot === undefined ? RateLimitStore.layerMemory : layerSupervised

const RateLimits = Layer.unwrap(
  Effect.map(ServerConfig, ({ redisUrl }) =>
    Option.match(redisUrl, { onNone: () => limitsOfMachine, onSome: layerRedis })
  )
)

/** The HTTP service without its services, and without its server, which is a port or a test's server. */
// The inbound connections and the streams' end are built last, so that they end before the server waits for its connections to close.
export const App = Layer.merge(InboundConnections, dashboard.streamsEnd).pipe(
  Layer.provideMerge(
    HttpRouter.serve(HttpApp, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(narrowServer)
    )
  ),
  Layer.provide(RateLimits)
)

/** A server that listens. */
export const listenOn = (options: { readonly port: number; readonly host: string }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { unreadTimeoutSeconds } = yield* ServerConfig
      const server = new FrontServer({ ...serverLimits, timeout: unreadTimeoutSeconds * 1000 }, yield* RequestsInFlight)
      return Layer.merge(
        NodeHttpServer.layer(() => server, { ...options, ...sharedPort, gracefulShutdownTimeout: "10 seconds" }),
        Layer.succeed(ListeningServer, server)
      )
    })
  )

const listening = Layer.unwrap(
  Effect.map(ServerConfig, ({ port, host }) =>
    listenOn({ port, host }).pipe(Layer.catch(listenError("PORT", host, port)))
  )
)

/** The API on its port. */
export const ServerLive = App.pipe(Layer.provide(AccessLog.layer), Layer.provide(listening))
