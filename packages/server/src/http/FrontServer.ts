import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Context } from "effect"

/** Takes a request or leaves it; one that it took it may still pass on to the router. */
export type Front = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (request: IncomingMessage) => void
) => boolean

/** Node's HTTP server with a place in front of its router. */
export class FrontServer extends Server {
  /** Keeps out what the router is not to see. */
  gate: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  front: Front | undefined
  private readonly answers = new WeakMap<Duplex, ServerResponse>()
  private readonly inFlight: { count: number }

  constructor(options: ServerOptions, inFlight = { count: 0 }) {
    super(options)
    this.inFlight = inFlight
  }

  override emit(event: string | symbol, ...args: Array<any>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    this.answers.set(request.socket, response)
    this.inFlight.count += 1
    response.once("close", () => (this.inFlight.count -= 1))
    if (this.gate?.(request, response) === true) return true
    if (event === "checkContinue") return super.emit(event, ...args)
    const pass = (again: IncomingMessage) => super.emit(event, again, response)
    return this.front?.(request, response, pass) || pass(request)
  }

  /** The answer to the newest request of a connection, while it is not sent. */
  answering(socket: Duplex): ServerResponse | undefined {
    const response = this.answers.get(socket)
    return response?.writableFinished === false ? response : undefined
  }
}

/** The server that the API listens with. */
export class ListeningServer extends Context.Service<ListeningServer, FrontServer>()("@edp/server/ListeningServer") {}
