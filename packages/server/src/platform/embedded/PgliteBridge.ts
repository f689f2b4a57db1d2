import { randomInt } from "node:crypto"
import { Duplex } from "node:stream"
import type { PgliteEngine } from "./PgliteEngine.ts"
import {
  type Reply,
  RequestReader,
  departure,
  encryptionRefused,
  errorResponse,
  idle,
  readResponse,
  readyIdle,
  welcome
} from "./pgWire.ts"

/** Messages of a client, up to one that the server responds to. */
interface Job {
  readonly client: BridgeClient
  readonly bytes: Buffer
  readonly endsCycle: boolean
}

/** The bridge as its clients see it. */
interface Exchange {
  readonly admit: (client: BridgeClient) => void
  readonly submit: (job: Job) => void
  readonly cancel: (processId: number, secret: number) => void
  readonly disconnect: (client: BridgeClient) => void
}

/** Bytes of a piece, as with a socket: a reader keeps a buffer as large as the largest piece it ever got. */
const PIECE = 64 * 1024

/** A client's end of a connection: it splits what the client writes into requests and delivers the responses. */
class BridgeClient extends Duplex {
  readonly processId: number
  readonly secret = randomInt(2 ** 31)
  readonly #exchange: Exchange
  readonly #reader = new RequestReader()

  constructor(exchange: Exchange, processId: number) {
    super({ allowHalfOpen: false })
    this.#exchange = exchange
    this.processId = processId
  }

  get prepared(): Iterable<string> {
    return this.#reader.prepared
  }

  /** Delivers the response to a request, of any length. */
  respond(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += PIECE) this.push(bytes.subarray(start, start + PIECE))
  }

  override _read(): void {
    // Responses are pushed when they arrive.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const request of this.#reader.read(chunk)) {
      switch (request.kind) {
        case "encryption":
          this.push(encryptionRefused)
          break
        case "startup":
          this.#exchange.admit(this)
          break
        case "batch":
          this.#exchange.submit({ client: this, ...request })
          break
        case "cancel":
          this.#exchange.cancel(request.processId, request.secret)
          this.destroy()
          break
        case "terminate":
          this.destroy()
          break
      }
    }
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#exchange.disconnect(this)
    done(error)
  }
}

export interface BridgeOptions {
  /** Milliseconds after which an idle transaction is rolled back, because all clients wait for it. */
  readonly idleTransactionLimit: number
  /** Called once when the database has stopped for good. */
  readonly onFailure: (error: Error) => void
}

/** Milliseconds for which statements may run before timers and sockets get their turn. */
const turnLength = 10

/**
 * Serves several PostgreSQL clients from the engine's only session. Each request runs whole; while a transaction is open only its
 * client is served. State of the session (SET, session advisory locks, temporary tables) is shared by all clients.
 */
export class PgliteBridge implements Exchange {
  readonly #engine: PgliteEngine
  readonly #clients = new Map<number, BridgeClient>()
  readonly #queue: Array<Job> = []
  readonly #onFailure: (error: Error) => void
  readonly #idleCheck: NodeJS.Timeout
  #owner: BridgeClient | undefined
  #ownerIdleSince = 0
  #busy = false
  /** Settles when all submitted requests have run. */
  #rest: Promise<void> = Promise.resolve()
  #turnEnd = 0
  #failure: Error | undefined
  #processIds = 0

  constructor(engine: PgliteEngine, options: BridgeOptions) {
    this.#engine = engine
    this.#onFailure = options.onFailure
    const every = Math.min(1000, options.idleTransactionLimit)
    this.#idleCheck = setInterval(() => this.#endIdleTransaction(options.idleTransactionLimit), every).unref()
  }

  /** Opens a connection. */
  connect(): Duplex {
    const client = new BridgeClient(this, ++this.#processIds)
    if (this.#failure !== undefined) client.destroy(this.#failure)
    return client
  }

  admit(client: BridgeClient): void {
    this.#clients.set(client.processId, client)
    client.push(welcome(client.processId, client.secret))
  }

  /** Disconnects all clients, rolls back the open transaction and waits for the engine. */
  async close(): Promise<void> {
    clearInterval(this.#idleCheck)
    for (const client of this.#clients.values()) client.destroy()
    this.#failure ??= new Error("The embedded database is closed")
    await this.#rest
  }

  /** Ends all connections: the database has failed for good. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#queue.length = 0
    for (const client of this.#clients.values()) client.destroy(error)
    this.#onFailure(error)
  }

  submit(job: Job): void {
    this.#queue.push(job)
    this.#start()
  }

  /** Withdraws a client's requests that have not begun; a running statement cannot be stopped. */
  cancel(processId: number, secret: number): void {
    const client = this.#clients.get(processId)
    if (client === undefined || client.secret !== secret || client === this.#owner) return
    for (let waiting = this.#withdraw(client); waiting > 0; waiting--) {
      client.push(
        Buffer.concat([errorResponse("ERROR", "57014", "canceling statement due to user request"), readyIdle])
      )
    }
  }

  disconnect(client: BridgeClient): void {
    if (!this.#clients.delete(client.processId) || this.#failure !== undefined) return
    this.#withdraw(client)
    // First in the queue: if the client owns a transaction, all others wait for its end.
    this.#queue.unshift({ client, bytes: departure(client.prepared), endsCycle: true })
    this.#start()
  }

  #withdraw(client: BridgeClient): number {
    const kept = this.#queue.filter((job) => job.client !== client)
    const withdrawn = this.#queue.length - kept.length
    this.#queue.splice(0, this.#queue.length, ...kept)
    return withdrawn
  }

  #start(): void {
    if (this.#busy) return
    this.#busy = true
    this.#rest = this.#runAll().catch((error: Error) => this.fail(error))
  }

  async #runAll(): Promise<void> {
    for (;;) {
      if (performance.now() > this.#turnEnd) {
        await new Promise(setImmediate)
        this.#turnEnd = performance.now() + turnLength
      }
      const job = this.#take()
      if (job !== undefined) await this.#run(job)
      // In the same step as the look at the queue: a later request starts the loop again.
      else return void (this.#busy = false)
    }
  }

  #take(): Job | undefined {
    const index = this.#owner === undefined ? 0 : this.#queue.findIndex((job) => job.client === this.#owner)
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0]
  }

  async #run({ client, bytes, endsCycle }: Job): Promise<void> {
    let response: Reply
    try {
      response = readResponse(await this.#engine.run(bytes))
    } catch (cause) {
      return this.fail(new Error("The embedded database has stopped", { cause }))
    }
    if (endsCycle && response.status === undefined) return this.fail(new Error("The embedded database did not respond"))
    this.#owner = response.status === idle ? undefined : client
    this.#ownerIdleSince = performance.now()
    for (const notification of response.notifications) {
      for (const other of this.#clients.values()) if (other !== client) other.push(notification)
    }
    if (!client.destroyed) client.respond(response.bytes)
  }

  #endIdleTransaction(limit: number): void {
    if (this.#owner === undefined || this.#busy) return
    if (performance.now() - this.#ownerIdleSince < limit) return
    this.#owner.push(errorResponse("FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"))
    this.#owner.destroy()
  }
}
