import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { narrowContext } from "../narrowContext.ts"

/** The server, whose requests begin without the services of the process. */
export const narrowServer = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, (server) =>
    HttpServer.make({
      ...server,
      serve: (httpApp, middleware) => Effect.updateContext(server.serve(httpApp, middleware!), narrowContext) as never
    })
  )
)
