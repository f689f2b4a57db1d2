import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface VendorServer {
  readonly url: string
  /** Every request so far. */
  readonly requests: ReadonlyArray<{ readonly url: URL; readonly headers: IncomingMessage["headers"] }>
  /** The first request has come. */
  readonly asked: Effect.Effect<void>
  /** The first connection has ended, from either side. */
  readonly closed: Effect.Effect<void>
}

/** A vendor's HTTP service on the loopback address, for the life of the scope. */
export const vendorServer = (respond: (response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const requests: Array<VendorServer["requests"][number]> = []
      const asked = Promise.withResolvers<void>()
      const closed = Promise.withResolvers<void>()
      const server = createServer((request, response) => {
        requests.push({ url: new URL(request.url!, "http://vendor"), headers: request.headers })
        asked.resolve()
        request.socket.once("close", () => closed.resolve())
        respond(response)
      })
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return {
        server,
        vendor: {
          url,
          requests,
          asked: Effect.promise(() => asked.promise),
          closed: Effect.promise(() => closed.promise)
        } satisfies VendorServer
      }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      })
  ).pipe(Effect.map(({ vendor }): VendorServer => vendor))
