import { AsyncLocalStorage } from "node:async_hooks"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

/** Bytes of the largest message that is read: the list of a Zigbee network with some hundred devices. */
export const MESSAGE_LIMIT = 2_000_000
/** Bytes of the largest packet of another type, such as an acknowledgement of subscriptions. */
const OTHER_LIMIT = 65_536
const PUBLISH = 3
/** Bytes of the largest fixed header: the type and a length of at most four bytes. */
const HEADER_LIMIT = 5

interface Header {
  readonly type: number
  readonly length: number
  readonly size: number
}

/** The fixed header of a packet; undefined if more bytes are needed, null if it is malformed. */
const readHeader = (bytes: Uint8Array): Header | undefined | null => {
  let length = 0
  for (let n = 1; n < HEADER_LIMIT; n++) {
    const byte = bytes[n]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 128 ** (n - 1)
    if (byte < 0x80) return { type: bytes[0]! >> 4, length, size: n + 1 }
  }
  return null
}

/**
 * The packets of a broker, cut from the stream before the client's parser keeps them: messages over the limit are left out, which
 * the protocol allows for those without acknowledgement (QoS 0), and any other large or malformed packet ends the connection.
 */
export class PacketLimit {
  #header = Buffer.alloc(0)
  #left = 0
  #isSkipping = false

  /** The bytes to pass on. Throws on a packet that the client could not skip. */
  filter(chunk: Buffer): Buffer {
    const passed: Array<Buffer> = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left > 0) {
        const part = rest.subarray(0, this.#left)
        this.#left -= part.length
        rest = rest.subarray(part.length)
        if (!this.#isSkipping) passed.push(part)
        continue
      }
      const before = this.#header.length
      this.#header = Buffer.concat([this.#header, rest.subarray(0, HEADER_LIMIT - before)])
      const header = readHeader(this.#header)
      if (header === null) throw new Error("The broker sent a malformed packet")
      if (header === undefined) break
      rest = rest.subarray(header.size - before)
      this.#left = header.length
      this.#isSkipping = header.type === PUBLISH && header.length > MESSAGE_LIMIT
      if (header.type !== PUBLISH && header.length > OTHER_LIMIT) {
        throw new Error("The broker sent a too large packet")
      }
      if (!this.#isSkipping) passed.push(this.#header.subarray(0, header.size))
      this.#header = Buffer.alloc(0)
    }
    return Buffer.concat(passed)
  }
}

/**
 * The stream that an MQTT client reads and writes. Exceptions of the client's parser end the connection, and what it continues in
 * later runs in the asynchronous context of the caller, as `contained` needs it: a socket's callbacks have the context that it was
 * opened in.
 */
export const limitPackets = (socket: Socket): Duplex => {
  const limit = new PacketLimit()
  const inContext = AsyncLocalStorage.snapshot()
  const stream: Duplex = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    }
  })
  const guarded = (work: () => void) => {
    try {
      inContext(work)
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
  socket.on("data", (chunk: Buffer) =>
    guarded(() => {
      const passed = limit.filter(chunk)
      if (passed.length > 0 && !stream.push(passed)) socket.pause()
    })
  )
  socket.on("end", () => guarded(() => void stream.push(null)))
  socket.on("error", (error) => guarded(() => void stream.destroy(error)))
  socket.on("close", () => guarded(() => void stream.destroy()))
  socket.pause()
  return stream
}
