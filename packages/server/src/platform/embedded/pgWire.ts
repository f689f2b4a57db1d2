/** The parts of PostgreSQL's wire protocol (version 3) that a relay between client and server must understand. */

const startupKind = { cancel: 80877102, tls: 80877103, gssEncryption: 80877104 }
const messageType = { parse: 0x50, close: 0x43, sync: 0x53, query: 0x51, flush: 0x48, terminate: 0x58 }
const closesStatement = 0x53
const responseType = { notification: 0x41, ready: 0x5a }

export const idle = 0x49

export type Request =
  | { readonly kind: "encryption" }
  | { readonly kind: "startup" }
  | { readonly kind: "cancel"; readonly processId: number; readonly secret: number }
  | { readonly kind: "terminate" }
  /** Messages up to one that the server responds to: Sync or a simple Query, which end the cycle, or Flush. */
  | { readonly kind: "batch"; readonly bytes: Buffer; readonly endsCycle: boolean }

/** Not an empty slice of the input, which would retain all of it. */
const nothing = Buffer.alloc(0)

/** Splits what a client writes into requests, however it is chunked. */
export class RequestReader {
  /** Names of the statements that this client has prepared and not closed. */
  readonly prepared = new Set<string>()
  #pending: Buffer = nothing
  #started = false

  read(chunk: Buffer): Array<Request> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const requests: Array<Request> = []
    for (let request = this.#next(); request !== undefined; request = this.#next()) requests.push(request)
    return requests
  }

  #next(): Request | undefined {
    return this.#started ? this.#nextBatch() : this.#nextStartup()
  }

  #nextStartup(): Request | undefined {
    const bytes = this.#pending
    if (bytes.length < 8 || bytes.length < bytes.readInt32BE(0)) return undefined
    this.#pending = bytes.subarray(bytes.readInt32BE(0))
    switch (bytes.readInt32BE(4)) {
      case startupKind.tls:
      case startupKind.gssEncryption:
        return { kind: "encryption" }
      case startupKind.cancel:
        return { kind: "cancel", processId: bytes.readInt32BE(8), secret: bytes.readInt32BE(12) }
    }
    this.#started = true
    return { kind: "startup" }
  }

  #nextBatch(): Request | undefined {
    const bytes = this.#pending
    for (let start = 0, end = messageEnd(bytes, 0); end !== undefined; start = end, end = messageEnd(bytes, start)) {
      const type = bytes[start]!
      if (type === messageType.terminate) {
        this.#pending = nothing
        return { kind: "terminate" }
      }
      if (type === messageType.parse) this.#remember(nameAt(bytes, start + 5))
      if (type === messageType.close && bytes[start + 5] === closesStatement) {
        this.prepared.delete(nameAt(bytes, start + 6))
      }
      if (type === messageType.sync || type === messageType.query || type === messageType.flush) {
        this.#pending = end === bytes.length ? nothing : bytes.subarray(end)
        return { kind: "batch", bytes: bytes.subarray(0, end), endsCycle: type !== messageType.flush }
      }
    }
    return undefined
  }

  #remember(name: string) {
    if (name !== "") this.prepared.add(name)
  }
}

export interface Reply {
  readonly bytes: Buffer
  /** The transaction status of the last ReadyForQuery; undefined while the server still expects a Sync. */
  readonly status: number | undefined
  /** The notifications among the response's messages. */
  readonly notifications: ReadonlyArray<Buffer>
}

export const readResponse = (bytes: Buffer): Reply => {
  let status: number | undefined
  const notifications: Array<Buffer> = []
  for (let start = 0, end = messageEnd(bytes, 0); end !== undefined; start = end, end = messageEnd(bytes, start)) {
    if (bytes[start] === responseType.ready) status = bytes[start + 5]
    else if (bytes[start] === responseType.notification) notifications.push(bytes.subarray(start, end))
  }
  return { bytes, status, notifications }
}

const messageEnd = (bytes: Buffer, start: number): number | undefined => {
  if (bytes.length < start + 5) return undefined
  const end = start + 1 + bytes.readInt32BE(start + 1)
  return bytes.length < end ? undefined : end
}

const nameAt = (bytes: Buffer, start: number) => bytes.toString("utf8", start, bytes.indexOf(0, start))

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5, type, "latin1")
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const int32s = (...values: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index))
  return bytes
}

export const encryptionRefused = Buffer.from("N", "latin1")

export const readyIdle = message("Z", Buffer.from("I", "latin1"))

/** The server's response to a client that it accepts. */
export const welcome = (processId: number, secret: number) =>
  Buffer.concat([message("R", int32s(0)), message("K", int32s(processId, secret)), readyIdle])

export const errorResponse = (severity: "ERROR" | "FATAL", code: string, text: string) =>
  message("E", Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${text}\0\0`, "utf8"))

const sync = message("S", Buffer.alloc(0))

/**
 * Removes a client's state from the session: Sync ends an open cycle, then its transaction is rolled back and its prepared
 * statements are closed.
 */
export const departure = (prepared: Iterable<string>) =>
  Buffer.concat([
    sync,
    message("Q", Buffer.from("ROLLBACK\0", "latin1")),
    ...Array.from(prepared, (name) => message("C", Buffer.from(`S${name}\0`, "utf8"))),
    sync
  ])
