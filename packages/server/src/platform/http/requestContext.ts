import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"

const ours = "@edp/server/"

/**
 * A context without the services of the process. Handlers and middleware get them when they are built. Effect copies the context several
 * times in a request: with all services this took a tenth of the processor time of a read.
 */
export const requestContext = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map(Array.from(context.mapUnsafe).filter(([key]) => !key.startsWith(ours))))

/** The server, whose requests begin without the services of the process. */
export const narrowServer = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, (server) =>
    HttpServer.make({
      ...server,
      serve: (httpApp, middleware) => Effect.updateContext(server.serve(httpApp, middleware!), requestContext) as never
    })
  )
)
