import { type IncomingMessage, Server, type ServerResponse } from "node:http"
import { Context } from "effect"

/** Takes a request or leaves it; one that it took it may still pass on to the router. */
export type Front = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (request: IncomingMessage) => void
) => boolean

/** Node's HTTP server with a place in front of its router. */
export class FrontServer extends Server {
  front: Front | undefined

  override emit(event: string | symbol, ...args: Array<any>): boolean {
    if (event !== "request" || this.front === undefined) return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    const pass = (again: IncomingMessage) => super.emit(event, again, response)
    return this.front(request, response, pass) || pass(request)
  }
}

/** The server that the API listens with. */
export class ListeningServer extends Context.Service<ListeningServer, FrontServer>()("@edp/server/ListeningServer") {}
