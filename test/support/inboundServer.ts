import type { AddressInfo } from "node:net"
import type { InboundListener } from "@edp/adapter-kit/ManufacturerAdapter"
import { serveInboundConnections } from "@edp/server/app/InboundConnections"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { AccessLog } from "@edp/server/platform/http/AccessLog"
import { FrontServer, ListeningServer } from "@edp/server/platform/http/FrontServer"
import { serverLimits } from "@edp/server/platform/http/serverLimits"
import { RateLimitStore } from "@edp/server/platform/rate-limits/RateLimitStore"
import { ConfigProvider, Effect, Exit, Layer, Logger, Scope } from "effect"

/** The platform's port with inbound connections and nothing else: every request is answered with 404 and its path. */
export const inboundServer = async (
  inboundListeners: ReadonlyArray<InboundListener>,
  env: Readonly<Record<string, string>> = {}
) => {
  const server = new FrontServer(serverLimits)
  server.on("request", ({ url }, response) => {
    const text = `request of ${url}`
    const end = url === "/first" ? {} : { connection: "close" }
    response.writeHead(404, { "content-length": text.length, ...end }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const scope = Scope.makeUnsafe()
  await Effect.runPromise(
    serveInboundConnections(inboundListeners).pipe(
      Scope.provide(scope),
      Effect.provide([
        Layer.succeed(ListeningServer, server),
        AccessLog.layerSilent,
        RateLimitStore.layerMemory,
        Logger.layer([]),
        ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...env } }))))
      ])
    )
  )
  /** Ends the inbound connections. The port stays open. */
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    port: (server.address() as AddressInfo).port,
    stop,
    close: async () => {
      await stop()
      server.close()
      server.closeAllConnections()
    }
  }
}
