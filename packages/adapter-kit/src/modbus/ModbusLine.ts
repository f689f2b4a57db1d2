import type { Socket } from "node:net"
import { Data, type Duration, Effect, type Scope, Semaphore } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { Framing, ModbusRequest, ModbusResponse } from "./frames.ts"

/** The device closed the connection before it answered. */
class Closed extends Data.TaggedError("Closed")<{ readonly message: string }> {}

interface Connection {
  readonly isOpen: () => boolean
  /** Waits until it has ended. */
  readonly ended: Effect.Effect<void>
  readonly exchange: (
    transaction: number,
    request: ModbusRequest
  ) => Effect.Effect<ModbusResponse, AdapterError | Closed>
  readonly end: () => void
}

/**
 * A connection whose socket is open. An exchange that ends without its response ends the connection, too: what would come later
 * could be taken for the response to another request.
 */
const connection = (socket: Socket, name: string, framing: Framing): Connection => {
  let receive: ((chunk: Buffer) => void) | undefined
  let fail: ((message: string) => void) | undefined
  let reason = "it was closed"
  socket.setNoDelay(true)
  // Bytes that nobody asked for end the connection.
  socket.on("data", (chunk: Buffer) => (receive === undefined ? socket.destroy() : receive(chunk)))
  socket.on("error", (error) => {
    reason = error.message
  })
  socket.on("end", () => socket.destroy())
  socket.on("close", () => fail?.(reason))
  return {
    isOpen: () => !socket.destroyed && socket.writable && socket.readable,
    ended: Effect.callback((resume) => {
      if (socket.closed) return resume(Effect.void)
      const end = () => resume(Effect.void)
      socket.once("close", end)
      socket.destroy()
      return Effect.sync(() => socket.off("close", end))
    }),
    end: () => void socket.destroy(),
    exchange: (transaction, request) =>
      Effect.callback((resume) => {
        let received = Buffer.alloc(0)
        const settle = (effect: Effect.Effect<ModbusResponse, AdapterError | Closed>) => {
          receive = undefined
          fail = undefined
          resume(effect)
        }
        receive = (chunk) => {
          received = Buffer.concat([received, chunk])
          const decoded = framing.decode(received, transaction, request)
          if (decoded === "incomplete") return
          if ("response" in decoded) return settle(Effect.succeed(decoded.response))
          settle(Effect.fail(AdapterError.of("contract", `${name} does not respond by Modbus: ${decoded.broken}`)))
          socket.destroy()
        }
        fail = (message) => settle(Effect.fail(new Closed({ message })))
        if (socket.destroyed) return fail(reason)
        socket.write(framing.encode(transaction, request))
        return Effect.sync(() => {
          receive = undefined
          fail = undefined
          socket.destroy()
        })
      })
  }
}

/** A way to a device or gateway: at most one connection, and one request at a time. */
export interface ModbusLine {
  readonly request: (request: ModbusRequest) => Effect.Effect<ModbusResponse, AdapterError>
}

export interface LineOptions {
  /** For messages, such as 10.0.0.5:502. */
  readonly name: string
  readonly dial: Effect.Effect<Socket, AdapterError>
  readonly framing: Framing
  /** From a request to its response, and for opening a connection. */
  readonly timeLimit: Duration.Input
}

/** A line. It connects with its first request, and again after the connection broke; its scope ends the connection. */
export const makeLine = ({
  dial,
  framing,
  name,
  timeLimit
}: LineOptions): Effect.Effect<ModbusLine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lock = yield* Semaphore.make(1)
    let current: Connection | undefined
    let transaction = 0
    yield* Effect.addFinalizer(() => Effect.sync(() => current?.end()))

    const silent = (what: string) => AdapterError.of("unreachable", `${name} does not respond: ${what}`)

    const open = Effect.uninterruptibleMask((restore) =>
      restore(dial).pipe(
        Effect.map((socket) => (current = connection(socket, name, framing))),
        Effect.timeoutOrElse({ duration: timeLimit, orElse: () => Effect.fail(silent("no connection")) })
      )
    )

    const attempt = (request: ModbusRequest, mayRetry: boolean): Effect.Effect<ModbusResponse, AdapterError> =>
      Effect.gen(function* () {
        const reused = current?.isOpen() === true
        // A device may take a single connection, and count one that has not quite ended.
        if (current !== undefined && !reused) yield* current.ended
        const line = reused ? current! : yield* open
        transaction = (transaction + 1) & 0xffff
        return yield* line.exchange(transaction, request).pipe(
          Effect.timeoutOrElse({ duration: timeLimit, orElse: () => Effect.fail(silent("the request timed out")) }),
          // Devices close connections that they think idle. Requests name registers and their values: they may be repeated.
          Effect.catchTag("Closed", ({ message }) =>
            reused && mayRetry ? attempt(request, false) : Effect.fail(silent(message))
          )
        )
      })

    return { request: (request) => lock.withPermit(attempt(request, true)) }
  })
