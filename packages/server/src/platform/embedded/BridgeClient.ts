import { randomInt } from "node:crypto"
import { Duplex } from "node:stream"
import { encryptionRefused, RequestReader } from "./pgWire.ts"

/** What a client has asked for, up to a message that makes the server answer. */
export interface Job {
  readonly client: BridgeClient
  readonly bytes: Buffer
  readonly endsCycle: boolean
}

/** Who serves the clients. */
export interface Exchange {
  readonly admit: (client: BridgeClient) => void
  readonly submit: (job: Job) => void
  readonly cancel: (processId: number, secret: number) => void
  readonly disconnect: (client: BridgeClient) => void
}

/** Like a socket's pieces. Whoever reads keeps a buffer as large as the largest piece that ever came. */
const PIECE = 64 * 1024

/** A client's end of the line: it takes what the client writes apart and hands out what the other end pushes. */
export class BridgeClient extends Duplex {
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

  /** Hands out what the database says to a request, however long. */
  answer(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += PIECE) this.push(bytes.subarray(start, start + PIECE))
  }

  override _read(): void {
    // Answers are pushed when the database has them.
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
