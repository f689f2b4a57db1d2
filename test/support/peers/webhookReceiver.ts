import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { webhookChecks } from "../WebhookChecks.ts"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The event, as it was sent. */
  readonly event: any
}

type Reply = (response: ServerResponse, received: Received) => void

/**
 * An endpoint on this machine that keeps what it is sent, and responds with 204 unless told otherwise. It does not stop without an
 * error where something that it was sent is not as the OpenAPI document says.
 */
export const startReceiver = async () => {
  const received: Array<Received> = []
  const checks = webhookChecks()
  let reply: Reply = (response) => response.writeHead(204).end()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const one = { path: request.url!, headers: request.headers, text, event: JSON.parse(text) }
      checks.check(text)
      received.push(one)
      reply(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** How it responds from now on. */
    respond: (how: Reply) => {
      reply = how
    },
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      checks.end()
    }
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
