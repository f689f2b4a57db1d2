import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"

/** Events are smaller: a few hundred kilobytes at most. */
const BODY_LIMIT = 4 * 1024 * 1024

/** A received POST. */
export interface Received {
  readonly path: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Reply {
  readonly status: number
  readonly body?: Uint8Array
}

/** The whole body; undefined when it is too large. */
const readBody = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_LIMIT) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const flat = (headers: IncomingMessage["headers"]) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const]
    )
  )

const bound = (server: ReturnType<typeof createServer>, port: number) =>
  Effect.callback<number, CliFailure>((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(new CliFailure({ code: "PORT_NOT_FREE", message: `Port ${port} can't be opened: ${error.code}` }))
      )
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/**
 * Receives POSTs on this machine until the scope ends. Returns the port.
 *
 * @param port 0 for any free port.
 */
export const localReceiver = <R>(
  port: number,
  handle: (received: Received) => Effect.Effect<Reply, never, R>
): Effect.Effect<number, CliFailure, R | Scope.Scope> =>
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<R>())
    const respond = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await readBody(request)
      if (request.method !== "POST") return response.writeHead(405, { allow: "POST" }).end()
      if (body === undefined) return response.writeHead(413, { connection: "close" }).end()
      const reply = await run(handle({ path: request.url ?? "/", headers: flat(request.headers), body }))
      return response.writeHead(reply.status).end(reply.body)
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createServer((request, response) => void respond(request, response).catch(() => response.destroy()))
      ),
      (listening) =>
        Effect.sync(() => {
          listening.close()
          listening.closeAllConnections()
        })
    )
    return yield* bound(server, port)
  })
