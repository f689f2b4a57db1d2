import { Deferred, Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { DeviceSocket } from "./deviceSocket.ts"
import { type Fields, type Frame, writeRequest } from "./frames.ts"

/** Requests that wait for their responses. The platform sends one after another; only a device that never responds gets more. */
const MAX_WAITING = 32

type Outcome = Extract<Frame, { readonly _tag: "Response" | "Failure" }>

const upstream = (code: number | null, message: string) => ({
  statusCode: null,
  errorCode: code === null ? null : String(code),
  errorMessage: message,
  requestId: null
})

/** Shelly's code for a request that needs the device's password, which the outbound WebSocket does not. */
const UNAUTHORIZED = 401

const failed = ({ code, message }: Extract<Outcome, { readonly _tag: "Failure" }>): AdapterError =>
  // Its message holds a nonce.
  code === UNAUTHORIZED
    ? AdapterError.of("refused", "The device asks for its password, which it should not on this connection", {
        upstream: upstream(code, "Unauthorized"),
        commandReason: "refused"
      })
    : AdapterError.of("refused", `The device refuses the request: ${message}`, {
        upstream: upstream(code, message),
        commandReason: "refused"
      })

const unreachable = (message: string) => AdapterError.of("unreachable", message)

/** Requests to a device on its connection, and their responses. */
export const makeDeviceCalls = (socket: Pick<DeviceSocket, "send">, respondWithin: number) => {
  const waiting = new Map<number, Deferred.Deferred<Fields, AdapterError>>()
  let nextId = 1
  let isEnded = false

  return {
    /** Takes a response. One that nobody waits for is left out. */
    settle: (frame: Outcome) => {
      const call = waiting.get(frame.id)
      waiting.delete(frame.id)
      if (call === undefined) return
      Deferred.doneUnsafe(call, frame._tag === "Response" ? Effect.succeed(frame.result) : Effect.fail(failed(frame)))
    },
    /** All requests that wait fail, and so do later ones. */
    end: () => {
      isEnded = true
      for (const call of waiting.values()) {
        Deferred.doneUnsafe(call, Effect.fail(unreachable("The device's connection has ended")))
      }
      waiting.clear()
    },
    call: (method: string, params: Fields = {}): Effect.Effect<Fields, AdapterError> =>
      Effect.suspend(() => {
        if (isEnded) return Effect.fail(unreachable("The device's connection has ended"))
        if (waiting.size >= MAX_WAITING) return Effect.fail(unreachable("The device does not respond"))
        const id = nextId++
        const result = Deferred.makeUnsafe<Fields, AdapterError>()
        waiting.set(id, result)
        socket.send(writeRequest(id, method, params))
        return Deferred.await(result).pipe(
          Effect.timeoutOrElse({
            duration: respondWithin,
            orElse: () => Effect.fail(unreachable("The device does not respond"))
          }),
          Effect.ensuring(Effect.sync(() => void waiting.delete(id)))
        )
      }).pipe(Effect.withSpan("shelly.call", { kind: "client", attributes: { "rpc.method": method } }))
  }
}
