import { type Agent, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { Exchange } from "./Exchange.ts"

/**
 * Asks a service what a client asks, byte by byte, and resolves when the response is whole. The client going away ends it.
 * A service may respond before it has read everything, and then break the connection.
 */
export const ask = (
  service: URL,
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse
): Promise<{ readonly exchange: Exchange; readonly response: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const { method = "GET", url: path = "/", rawHeaders } = incoming
    const asked = request({ agent, hostname: service.hostname, port: service.port, method, path, headers: rawHeaders })
    outgoing.on("close", () => outgoing.writableFinished || asked.destroy())
    asked.on("error", reject)
    asked.on("response", (response) => {
      const { headers, statusCode } = response
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("error", reject)
      response.on("end", () =>
        resolve({ response, exchange: { method, path, status: statusCode!, headers, bytes: Buffer.concat(parts) } })
      )
    })
    incoming.pipe(asked)
  })

export const respondWith = (outgoing: ServerResponse, response: IncomingMessage, bytes: Buffer) => {
  outgoing.sendDate = false
  outgoing.writeHead(response.statusCode!, response.statusMessage, response.rawHeaders)
  outgoing.end(bytes)
}
