import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { FrontServer } from "./FrontServer.ts"
import { bodyOf, detailsOf, noHost, otherExpectation } from "./unreadable.ts"

/** Makes the headers of an answer to whoever is at the other end, and writes it down. */
export type Noted = (socket: Socket) => Readonly<Record<string, string>>

/** How long somebody who still sends has to read why nobody listens any more. */
const PARTING_MS = 1000

const headersOf = (text: string) => ({
  connection: "close",
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(text))
})

const answer = (response: ServerResponse, details: Record<string, string>, noted: Noted) => {
  const text = bodyOf(details)
  response.writeHead(400, { ...noted(response.req.socket), ...headersOf(text) }).end(text)
}

/** Without a request there is no response to write with: these are its bytes. */
const answerRaw = (socket: Socket, details: Record<string, string>, noted: Noted) => {
  const text = bodyOf(details)
  const lines = Object.entries({ ...noted(socket), ...headersOf(text) })
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`)
  setTimeout(() => socket.destroy(), PARTING_MS).unref()
}

/** A host is how a proxy in front tells whose request it is; without one HTTP/1.1 asks for a refusal. */
const lacksHost = ({ httpVersion, headers }: IncomingMessage) => httpVersion === "1.1" && headers.host === undefined

/**
 * Answers what Node's parser can't read like every other bad request. By itself Node answers it without a body, with statuses
 * that no operation documents. Returns what undoes it.
 */
export const refuseUnreadable = (server: FrontServer, noted: Noted): (() => void) => {
  const refused = new WeakSet<Socket>()

  const unreadable = (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    // One who is gone reads nothing; one who connected ahead of need and sent nothing asked nothing.
    if (!socket.writable || error.code === "ECONNRESET" || socket.bytesRead === 0) return void socket.destroy()
    const details = detailsOf(error.code)
    const underway = server.answering(socket)
    if (underway === undefined) return answerRaw(socket, details, noted)
    // Requests may follow each other without a wait: then this is about one behind that which is being answered.
    if (underway.req.complete) return void underway.once("close", () => answerRaw(socket, details, noted))
    if (underway.headersSent) return void socket.destroy()
    answer(underway, details, noted)
  }
  const unexpected = (_: IncomingMessage, response: ServerResponse) => answer(response, otherExpectation, noted)
  const gate = (request: IncomingMessage, response: ServerResponse) => {
    if (!lacksHost(request)) return false
    answer(response, noHost, noted)
    return true
  }

  server.on("clientError", unreadable).on("checkExpectation", unexpected)
  server.gate = gate
  return () => {
    server.off("clientError", unreadable).off("checkExpectation", unexpected)
    server.gate = undefined
  }
}
