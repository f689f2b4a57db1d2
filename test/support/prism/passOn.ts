import { type Agent, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { Exchange } from "./Exchange.ts"

/**
 * Asks a service what a client asks, byte by byte, and resolves when the answer is whole. The client going away ends it.
 * A service may answer before it has read everything, and then break the connection.
 */
export const ask = (
  service: URL,
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse
): Promise<{ readonly exchange: Exchange; readonly answer: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const { method = "GET", url: path = "/", rawHeaders } = incoming
    const asked = request({ agent, hostname: service.hostname, port: service.port, method, path, headers: rawHeaders })
    outgoing.on("close", () => outgoing.writableFinished || asked.destroy())
    asked.on("error", reject)
    asked.on("response", (answer) => {
      const { headers, statusCode } = answer
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("error", reject)
      answer.on("end", () =>
        resolve({ answer, exchange: { method, path, status: statusCode!, headers, bytes: Buffer.concat(parts) } })
      )
    })
    incoming.pipe(asked)
  })

export const answerWith = (outgoing: ServerResponse, answer: IncomingMessage, bytes: Buffer) => {
  outgoing.sendDate = false
  outgoing.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders)
  outgoing.end(bytes)
}
