import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { FrontServer } from "../platform/http/FrontServer.ts"
import { requestProblem } from "../platform/http/requestProblem.ts"
import { bodyOf, type Details, detailsOf, noRoute, otherExpectation } from "../platform/http/unreadable.ts"

/** Makes the headers of an answer to whoever is at the other end, and writes it down. */
export type Noted = (socket: Socket, status: number) => Readonly<Record<string, string>>

/** How long somebody who still sends has to read why nobody listens any more. */
const PARTING_MS = 1000

const headersOf = (text: string) => ({
  connection: "close",
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(text))
})

const answer = (response: ServerResponse, details: Details, noted: Noted) => {
  const text = bodyOf(details)
  response.writeHead(400, { ...noted(response.req.socket, 400), ...headersOf(text) }).end(text)
}

/** Without a request there is no response to write with: these are its bytes. */
const answerRaw = (socket: Socket, status: 400 | 404, text: string, noted: Noted) => {
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries({ ...noted(socket, status), ...headersOf(text) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`)
  setTimeout(() => socket.destroy(), PARTING_MS).unref()
}

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
    // Requests may follow each other without a wait: then this is about one behind that which is being answered.
    if (underway === undefined || underway.req.complete) {
      return server.afterAnswers(socket, () => answerRaw(socket, 400, bodyOf(details), noted))
    }
    if (underway.headersSent) return void socket.destroy()
    answer(underway, details, noted)
  }
  // A tunnel is nothing that is here. Node would close the connection without a word.
  const tunnel = (_: IncomingMessage, socket: Socket) => {
    socket.on("error", () => socket.destroy())
    server.afterAnswers(socket, () => answerRaw(socket, 404, noRoute, noted))
  }
  const unexpected = (_: IncomingMessage, response: ServerResponse) => answer(response, otherExpectation, noted)
  const gate = (request: IncomingMessage, response: ServerResponse) => {
    const problem = requestProblem(request)
    if (problem !== undefined) answer(response, problem, noted)
    return problem !== undefined
  }

  server.on("clientError", unreadable).on("checkExpectation", unexpected).on("connect", tunnel)
  server.gate = gate
  return () => {
    server.off("clientError", unreadable).off("checkExpectation", unexpected).off("connect", tunnel)
    server.gate = undefined
  }
}
