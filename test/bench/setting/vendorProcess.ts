import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { serveRequests } from "./childProcess.ts"
import type { VendorResponse, VendorRequest } from "./vendor.ts"

let times: Array<number> = []

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    times.push(Date.now())
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}")
  })
})

const listening = new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
})

const busiest = (windowMs: number) => {
  const counts = new Map<number, number>()
  for (const at of times) {
    const window = Math.floor(at / windowMs)
    counts.set(window, (counts.get(window) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

serveRequests(async (request: VendorRequest): Promise<VendorResponse> => {
  const port = await listening
  if (request.forget) times = []
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  return { port, calls: times.length, first, seconds: (last - first) / 1000, busiest: busiest(request.windowMs) }
})
