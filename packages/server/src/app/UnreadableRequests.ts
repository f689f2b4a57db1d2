import { randomUUID } from "node:crypto"
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { NotFound, invalid } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, Layer } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { type FrontServer, ListeningServer } from "../platform/http/FrontServer.ts"
import { responseHeaders, makeRequestInfo } from "../platform/http/RequestInfo.ts"
import { MAX_HEADERS, serverLimits } from "../platform/http/serverLimits.ts"
import { clientAddress } from "../platform/network/clientAddress.ts"

type Details = Readonly<Record<string, string>>

const seconds = (milliseconds: number) => milliseconds / 1000

const late = `Must arrive within ${seconds(serverLimits.requestTimeout)} seconds, its headers within ${seconds(serverLimits.headersTimeout)}`

/** The details of the error for each code of Node's parser. */
const byCode: Readonly<Record<string, Details>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { request: late },
  HPE_HEADER_OVERFLOW: { headers: `Must be at most ${serverLimits.maxHeaderSize / 1024} KiB with the path` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { body: "Must not have long chunk extensions" },
  HPE_INVALID_CHUNK_SIZE: { body: "Must have chunks of the stated size" },
  HPE_INVALID_CONSTANT: { request: "Must be a request of HTTP/1.1" }
}

const unlike = { request: "Must be a request of HTTP/1.1" }

const noHost = { host: "Is required" }
const twoHosts = { host: "Must be given only once" }
const wrongHost = { host: "Must be a host name or an address, and may end with a port" }
const manyHeaders = { headers: `Must be at most ${MAX_HEADERS}` }
const otherCoding = { transferEncoding: "Must be chunked and nothing else, and HTTP/1.1" }
const otherExpectation = { expect: "Must be 100-continue" }

/** The details of the VALIDATION_ERROR for a request that Node's parser refused. */
const parserErrorDetails = (code: string | undefined): Details => byCode[code ?? ""] ?? unlike

/** The body of a VALIDATION_ERROR, for connections without a request object. */
const errorBody = (details: Details): string => {
  const { code, message } = invalid(details)
  return JSON.stringify({ code, message, details })
}

const { code, message } = new NotFound({ message: "There is no such route" })
/** The body of the response to CONNECT, for which there is no route. */
const noRoute = JSON.stringify({ code, message })

/** A name or an address, with an optional port. */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

const isOneOf = (versions: ReadonlyArray<string>, version: string) => versions.includes(version)

const countHosts = (rawHeaders: ReadonlyArray<string>) => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  return hosts
}

/**
 * Refuses what Node's parser accepts and a proxy in front may read differently: which host the request is for, and where its body
 * ends. Undefined for a valid request.
 */
export const requestProblem = ({ httpVersion, headers, rawHeaders }: IncomingMessage): Details | undefined => {
  if (!isOneOf(["1.1", "1.0"], httpVersion)) return unlike
  if (rawHeaders.length > 2 * MAX_HEADERS) return manyHeaders
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return twoHosts
  if (hosts === 0 && httpVersion === "1.1") return noHost
  if (!host.test(headers.host ?? "")) return wrongHost
  const coding = headers["transfer-encoding"]
  if (coding === undefined) return undefined
  return httpVersion === "1.1" && coding.toLowerCase() === "chunked" ? undefined : otherCoding
}

/** Logs a response and returns its headers. */
export type Noted = (socket: Socket, status: number) => Readonly<Record<string, string>>

/** Milliseconds that a caller that is still sending gets to read the response. */
const PARTING_MS = 1000

const contentHeaders = (text: string) => ({
  connection: "close",
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(text))
})

const respond = (response: ServerResponse, details: Details, noted: Noted) => {
  const text = errorBody(details)
  response.writeHead(400, { ...noted(response.req.socket, 400), ...contentHeaders(text) }).end(text)
}

/** Writes a response to a connection without a request object. */
export const respondRaw = (socket: Socket, status: number, text: string, noted: Noted) => {
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries({ ...noted(socket, status), ...contentHeaders(text) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`)
  setTimeout(() => socket.destroy(), PARTING_MS).unref()
}

/**
 * Responds to requests that Node's parser refuses with the service's error body. Node would respond without a body, with statuses that
 * no operation documents. Returns a function that removes the listeners.
 */
export const refuseUnreadable = (server: FrontServer, noted: Noted): (() => void) => {
  const refused = new WeakSet<Socket>()

  const unreadable = (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    // A closed connection takes no response, and a connection that was opened in advance has sent nothing.
    if (!socket.writable || error.code === "ECONNRESET" || socket.bytesRead === 0) return void socket.destroy()
    const details = parserErrorDetails(error.code)
    const underway = server.answering(socket)
    // Requests may be pipelined: the error belongs to a request after the one whose response is under way.
    if (underway === undefined || underway.req.complete) {
      return server.afterResponses(socket, () => respondRaw(socket, 400, errorBody(details), noted))
    }
    if (underway.headersSent) return void socket.destroy()
    respond(underway, details, noted)
  }
  // There are no tunnels. Node would close the connection without a response.
  const tunnel = (_: IncomingMessage, socket: Socket) => {
    socket.on("error", () => socket.destroy())
    server.afterResponses(socket, () => respondRaw(socket, 404, noRoute, noted))
  }
  const unexpected = (_: IncomingMessage, response: ServerResponse) => respond(response, otherExpectation, noted)
  const gate = (request: IncomingMessage, response: ServerResponse) => {
    const problem = requestProblem(request)
    if (problem !== undefined) respond(response, problem, noted)
    return problem !== undefined
  }

  server.on("clientError", unreadable).on("checkExpectation", unexpected).on("connect", tunnel)
  server.gate = gate
  return () => {
    server.off("clientError", unreadable).off("checkExpectation", unexpected).off("connect", tunnel)
    server.gate = undefined
  }
}

/** Method and path in the log line of an unreadable request. */
const unknown = { method: "-", url: "-" }

/** Responds to requests that Node's parser refuses with the service's error body and a request id, and logs them. */
export const UnreadableRequests = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* ListeningServer
    const log = yield* AccessLog
    const clock = yield* Clock.Clock
    const { trustedProxies } = yield* ServerConfig
    const noted = (socket: Socket, status: number) => {
      const info = makeRequestInfo(randomUUID(), clientAddress(socket.remoteAddress, undefined, trustedProxies))
      log.write(unknown, info, status, 0)
      return { date: new Date(clock.currentTimeMillisUnsafe()).toUTCString(), ...responseHeaders(info) }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => refuseUnreadable(server, noted)),
      (undo) => Effect.sync(undo)
    )
  })
)
