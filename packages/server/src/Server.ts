import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { AccessLog } from "./http/AccessLog.ts"
import { HttpApp } from "./http/HttpApp.ts"
import { listenError } from "./http/listenError.ts"
import { layerRedis } from "./rate-limits/RedisRateLimitStore.ts"
import { RateLimitStore } from "./rate-limits/RateLimitStore.ts"
import { ServerConfig } from "./ServerConfig.ts"

// Slow senders must not hold connections: a whole request arrives within a minute.
const limits = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 }

// Paths are the document's own, letter by letter. An id of any length is one that does not exist, not an unknown route.
const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: limits.maxHeaderSize }

const RateLimits = Layer.unwrap(
  Effect.map(ServerConfig, ({ redisUrl }) =>
    Option.match(redisUrl, { onNone: () => RateLimitStore.layerMemory, onSome: layerRedis })
  )
)

/** The whole HTTP service on a server that is still to be chosen: a real port, or a test's. */
export const App = HttpRouter.serve(HttpApp, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(RateLimits)
)

const listening = Layer.unwrap(
  Effect.map(ServerConfig, ({ port, host }) =>
    NodeHttpServer.layer(() => createServer(limits), { port, host, gracefulShutdownTimeout: "10 seconds" }).pipe(
      Layer.catch(listenError(host, port))
    )
  )
)

/** The API on its port. */
export const ServerLive = App.pipe(Layer.provide(AccessLog.layer), Layer.provide(listening))
