import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import type { Random } from "../../support/Random.ts"
import { webhookChecks } from "../../support/WebhookChecks.ts"

/** An event that reached a receiver, whatever the receiver answered. */
export interface Arrival {
  readonly id: string
  readonly sequence: number
  readonly subject: string
}

export interface Receivers {
  readonly urlOf: (kind: Kind) => string
  readonly arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>
  /** Unexpected requests, such as those that follow a redirect. */
  readonly strays: ReadonlyArray<string>
  /** Makes all receivers response 204. */
  readonly recover: () => void
  readonly stop: () => Promise<void>
}

export const kinds = ["well", "flaky", "failing", "hanging", "dripping", "redirecting", "flooding", "bombing"] as const
export type Kind = (typeof kinds)[number]

/** Ten megabytes of zeros, compressed to ten kilobytes. */
const bomb = gzipSync(Buffer.alloc(10_000_000))

/** Receivers of every kind behind one server, which records its requests. */
export const startReceivers = async (random: Random): Promise<Receivers> => {
  const arrivals = new Map<string, Array<Arrival>>(kinds.map((kind) => [kind, []]))
  const strays: Array<string> = []
  const checks = webhookChecks()
  let isWell = false

  const drip = (response: ServerResponse) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write("."), 200)
    response.on("close", () => clearInterval(timer))
  }
  const flood = (response: ServerResponse) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "."))) continue
    }
    response.on("drain", more)
    more()
  }
  const replies: Record<Kind, (response: ServerResponse) => void> = {
    well: (response) => response.writeHead(204).end(),
    flaky: (response) => response.writeHead(random.chance(0.002) ? 503 : 204).end(),
    failing: (response) => response.writeHead(500).end("no"),
    hanging: () => {},
    dripping: drip,
    redirecting: (response) => response.writeHead(307, { location: "/stray" }).end(),
    flooding: flood,
    bombing: (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const kind = kinds.find((one) => request.url === `/${one}`)
      const text = Buffer.concat(chunks).toString("utf8")
      checks.check(text)
      const { id, sequence, data } = JSON.parse(text)
      if (kind === undefined || request.headers["webhook-id"] !== id) {
        strays.push(`${request.url} ${request.headers["webhook-id"]} ${id}`)
        response.writeHead(204).end()
        return
      }
      arrivals.get(kind)!.push({ id, sequence, subject: data.customer.id })
      replies[isWell ? "well" : kind](response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urlOf: (kind) => `${origin}/${kind}`,
    arrivals,
    strays,
    recover: () => {
      isWell = true
      server.closeAllConnections()
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
