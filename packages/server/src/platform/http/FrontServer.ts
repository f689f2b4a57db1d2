import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Context } from "effect"
import { pipelineLimits } from "./serverLimits.ts"

interface Waiting {
  readonly request: IncomingMessage | undefined
  readonly begin: () => void
}

/** The requests of a connection: one is being handled, pipelined ones are queued behind it. */
interface Connection {
  answering: ServerResponse | undefined
  readonly waiting: Array<Waiting>
}

/** Takes requests for an upgrade. Others with an `Upgrade` header are answered like any request. */
export interface Upgrades {
  readonly accepts: (request: IncomingMessage) => boolean
  readonly take: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

const requestEvents: ReadonlySet<string | symbol> = new Set(["request", "checkContinue", "checkExpectation"])

/**
 * Node's HTTP server with a gate in front of its router. Requests of one connection are handled one after another, so
 * that a connection has one response in hand at most, however many requests it was sent.
 */
export class FrontServer extends Server {
  /** Handles requests that the router must not see. */
  gate: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  upgrades: Upgrades | undefined
  private readonly lines = new WeakMap<Duplex, Connection>()
  private readonly inFlight: { count: number }
  private waiting = 0
  private closing = false
  private readonly unfinished = new Set<ServerResponse>()
  private readonly early: Array<() => void> = []

  /** `timeout` is the time in milliseconds for which a response may wait for a client that does not read; 0 for ever. */
  constructor({ timeout = 0, ...options }: ServerOptions & { readonly timeout?: number }, inFlight = { count: 0 }) {
    let accepts: Upgrades["accepts"] = () => false
    super({ ...options, shouldUpgradeCallback: (request) => accepts(request) })
    accepts = (request) => this.upgrades?.accepts(request) === true
    this.timeout = timeout
    this.inFlight = inFlight
    // `emit` handles the event, but Node asks for a listener.
    this.on("upgrade", () => {})
    this.on("timeout", (socket: Socket) => this.cutUnread(socket))
    this.on("newListener", (event) => {
      if (event === "request") queueMicrotask(() => this.early.splice(0).forEach((handle) => handle()))
    })
  }

  override emit(event: string | symbol, ...args: Array<any>): boolean {
    // Effect listens, too, and would give the request to the router.
    if (event === "upgrade") return this.upgrade(...(args as [IncomingMessage, Socket, Buffer]))
    if (!requestEvents.has(event)) return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    const connection = this.getConnection(request.socket)
    const begin = () => this.begin(connection, event, request, response)
    if (connection.answering === undefined) begin()
    else this.queue(connection, request, begin)
    return true
  }

  /** Closes the connections, too: idle ones at once, the others after their last response. */
  override close(callback?: (error?: Error) => void): this {
    this.closing = true
    for (const response of this.unfinished) this.announceEnd(response)
    return super.close(callback)
  }

  /** The response that a connection waits for. */
  answering(socket: Duplex): ServerResponse | undefined {
    return this.lines.get(socket)?.answering
  }

  /**
   * Runs when every complete request of the connection has its response; an incomplete last one is dropped. Until then
   * the connection is not read: bytes that arrive would count as progress of a response that the client does not read.
   */
  afterResponses(socket: Duplex, run: () => void) {
    const connection = this.lines.get(socket)
    if (connection?.answering === undefined) return run()
    socket.pause()
    if (connection.waiting.at(-1)?.request?.complete === false) {
      connection.waiting.pop()
      this.waiting -= 1
    }
    connection.waiting.push({ request: undefined, begin: run })
    this.waiting += 1
  }

  private getConnection(socket: Duplex): Connection {
    const known = this.lines.get(socket)
    if (known !== undefined) return known
    const connection: Connection = { answering: undefined, waiting: [] }
    this.lines.set(socket, connection)
    socket.once("close", () => this.dropWaiting(connection))
    return connection
  }

  private dropWaiting(connection: Connection) {
    this.waiting -= connection.waiting.length
    connection.waiting.length = 0
  }

  private queue(connection: Connection, request: IncomingMessage, begin: () => void) {
    const { socket } = request
    if (socket.destroyed) return
    // Queued requests were not started, so the client may safely send them again.
    if (connection.waiting.length >= pipelineLimits.waiting || this.waiting >= pipelineLimits.waitingInAll) {
      return void socket.destroy()
    }
    this.waiting += 1
    if (connection.waiting.push({ request, begin }) === pipelineLimits.pausedFrom) {
      // Node resumes reading when it has parsed a request, which is later than now.
      setImmediate(() => {
        if (connection.waiting.length >= pipelineLimits.pausedFrom) socket.pause()
      })
    }
  }

  private begin(connection: Connection, event: string | symbol, request: IncomingMessage, response: ServerResponse) {
    connection.answering = response
    this.inFlight.count += 1
    this.unfinished.add(response)
    if (this.closing) this.announceEnd(response)
    response.once("close", () => {
      this.inFlight.count -= 1
      this.unfinished.delete(response)
      connection.answering = undefined
      this.next(connection, request.socket)
      if (this.closing) this.closeIdleConnections()
    })
    this.handle(event, request, response)
  }

  /** Sends `Connection: close` with the last response of a connection, unless its headers are already sent. */
  private announceEnd(response: ServerResponse) {
    if (this.lines.get(response.req.socket)?.waiting.length === 0) response.shouldKeepAlive = false
  }

  private next(connection: Connection, socket: Socket) {
    if (!socket.writable) this.dropWaiting(connection)
    const next = connection.waiting.shift()
    if (next === undefined) return
    this.waiting -= 1
    if (connection.waiting.length === 0 && socket.isPaused()) socket.resume()
    next.begin()
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): boolean {
    // Node has taken its own listener off.
    socket.on("error", () => socket.destroy())
    this.afterResponses(socket, () => this.upgrades!.take(request, socket, head))
    return true
  }

  /** Closes a connection that has been idle for long, or whose peer does not read the response. */
  private cutUnread(socket: Socket) {
    if (this.answering(socket) === undefined || socket.writableLength > 0) socket.destroy()
  }

  private handle(event: string | symbol, request: IncomingMessage, response: ServerResponse) {
    // The port is open before the routes are built: early requests wait for them.
    if (this.listenerCount("request") === 0) return void this.early.push(() => this.handle(event, request, response))
    if (this.gate?.(request, response) === true) return
    super.emit(event, request, response)
  }
}

/** The server that the API listens with. */
export class ListeningServer extends Context.Service<ListeningServer, FrontServer>()("@edp/server/ListeningServer") {}
