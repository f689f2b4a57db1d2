import { isIP } from "node:net"
import { Deferred, Effect, Redacted, Schema, type Scope } from "effect"
import { type RawData, WebSocket } from "ws"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { isObject } from "@edp/adapter-kit/decoding/jsonPath"
import { secureSocket } from "@edp/adapter-kit/http/secureSocket"

/** The address of a Home Assistant instance and its long-lived access token. */
export const InstanceAddress = Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  tls: Schema.Boolean,
  /** SHA-256 of a certificate that comes from no known authority. */
  fingerprint: Schema.NullOr(Schema.String),
  token: Schema.RedactedFromValue(Schema.String)
})
export type InstanceAddress = typeof InstanceAddress.Type

/** An authenticated connection. It ends with its scope, and is not opened again by itself. */
export interface HomeAssistantSession {
  readonly call: (type: string, fields?: object) => Effect.Effect<unknown, AdapterError>
  /** Ends when the subscription is accepted, with its id. `onEvent` runs while nothing else does. */
  readonly subscribe: (
    type: string,
    fields: object,
    onEvent: (event: unknown) => void
  ) => Effect.Effect<number, AdapterError>
  readonly unsubscribe: (subscription: number) => Effect.Effect<void, AdapterError>
  /** Fails when the connection ends or stops responding. */
  readonly ended: Effect.Effect<never, AdapterError>
}

/** Time limits in seconds: of the whole login, and of one response. */
const LOGIN_LIMIT = 15
const RESPONSE_LIMIT = 10
const PING_EVERY = 30
/** Bytes of one message: all states of a large instance are some megabytes. */
const MESSAGE_LIMIT = 16 * 1024 * 1024
/** Characters of a message of the instance that an error repeats. */
const TEXT_LIMIT = 200

const tooSlow = (seconds: number) =>
  Effect.fail(AdapterError.of("unreachable", `Home Assistant did not respond within ${seconds} seconds`))

const stray = () => Effect.fail(AdapterError.of("contract", "The messages of Home Assistant made the client fail"))

const short = (value: unknown) =>
  typeof value === "string" ? value.replaceAll(/\p{C}/gu, " ").slice(0, TEXT_LIMIT) : null

/** The failure of a call by the code of its error. */
export const callFailure = (type: string, error: unknown): AdapterError => {
  const { code, message } = isObject(error) ? error : {}
  const upstream = { statusCode: null, errorCode: short(code), errorMessage: short(message), requestId: null }
  const says = `Home Assistant refuses ${type}: ${short(message) ?? short(code) ?? "no reason"}`
  switch (code) {
    case "unauthorized":
      return AdapterError.of("scope_missing", says, { upstream, intervention: "local_access_disabled" })
    case "timeout":
      return AdapterError.of("unreachable", says, { upstream })
    case "home_assistant_error":
    case "unknown_error":
      return AdapterError.of("vendor_fault", says, { upstream })
    default:
      return AdapterError.of("refused", says, { upstream, commandReason: "refused" })
  }
}

const parse = (data: RawData): ReadonlyArray<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(data.toString())
    const messages = Array.isArray(value) ? value : [value]
    return messages.every(isObject) ? messages : undefined
  } catch {
    return undefined
  }
}

/** Opens a connection to the WebSocket API and authenticates it. */
export const openSession = (
  host: Pick<AdapterHost, "contained" | "dial">,
  address: InstanceAddress
): Effect.Effect<HomeAssistantSession, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const dialled = yield* Effect.acquireRelease(
      host.dial(address.host, address.port),
      (socket) => Effect.sync(() => socket.destroy()),
      { interruptible: true }
    )
    // The socket may fail while nobody else listens.
    dialled.on("error", () => {})
    const socket = address.tls ? yield* secureSocket(dialled, address, "Home Assistant") : dialled
    const closed = yield* Deferred.make<never, AdapterError>()
    const owner = {}
    const pending = new Map<number, (effect: Effect.Effect<unknown, AdapterError>) => void>()
    const types = new Map<number, string>()
    const listeners = new Map<number, (event: unknown) => void>()
    let lastId = 0

    const receive = (message: Record<string, unknown>) => {
      const { event, id, type } = message
      if (typeof id !== "number") return
      if (type === "event") return listeners.get(id)?.(event)
      const resume = pending.get(id)
      if (resume === undefined) return
      if (type === "pong") resume(Effect.void)
      if (type !== "result") return
      resume(
        message["success"] === true
          ? Effect.succeed(message["result"])
          : Effect.fail(callFailure(types.get(id) ?? "a call", message["error"]))
      )
    }

    const webSocket = yield* host.contained<WebSocket, AdapterError>(
      owner,
      (resume) => {
        const name = isIP(address.host) === 6 ? `[${address.host}]` : address.host
        const made = new WebSocket(`ws://${name}:${address.port}/api/websocket`, {
          // The connection is open already, with TLS where that was asked for.
          createConnection: () => socket,
          maxPayload: MESSAGE_LIMIT,
          handshakeTimeout: LOGIN_LIMIT * 1000,
          perMessageDeflate: false
        })
        let isReady = false
        const end = (failure: AdapterError) => {
          Deferred.doneUnsafe(closed, Effect.fail(failure))
          resume(Effect.fail(failure))
          made.terminate()
        }
        made.on("error", ({ message }) =>
          end(
            isReady
              ? AdapterError.of("unreachable", `The connection to Home Assistant failed: ${message}`)
              : AdapterError.of("contract", `No WebSocket API of Home Assistant responds: ${message}`)
          )
        )
        made.on("close", () => end(AdapterError.of("unreachable", "Home Assistant ended the connection")))
        made.on("message", (data) => {
          const messages = parse(data)
          if (messages === undefined) {
            return end(AdapterError.of("contract", "Home Assistant sent a message that is not JSON"))
          }
          for (const message of messages) {
            if (isReady) receive(message)
            else if (message["type"] === "auth_required") {
              made.send(JSON.stringify({ type: "auth", access_token: Redacted.value(address.token) }))
            } else if (message["type"] === "auth_ok") {
              isReady = true
              resume(Effect.succeed(made))
            } else if (message["type"] === "auth_invalid") {
              end(AdapterError.of("grant_lost", "Home Assistant refuses the access token"))
            } else end(AdapterError.of("contract", "This is not the WebSocket API of Home Assistant"))
          }
        })
        return Effect.sync(() => made.terminate())
      },
      stray
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => webSocket.terminate()))

    const request = (type: string, fields: object, onEvent?: (event: unknown) => void) =>
      Effect.suspend(() => {
        // The ids of a connection must increase.
        const id = (lastId += 1)
        types.set(id, type)
        if (onEvent !== undefined) listeners.set(id, onEvent)
        return host
          .contained<unknown, AdapterError>(
            owner,
            (resume) => {
              pending.set(id, resume)
              webSocket.send(JSON.stringify({ ...fields, id, type }))
            },
            stray
          )
          .pipe(
            Effect.raceFirst(Deferred.await(closed)),
            Effect.timeoutOrElse({ duration: `${RESPONSE_LIMIT} seconds`, orElse: () => tooSlow(RESPONSE_LIMIT) }),
            Effect.ensuring(
              Effect.sync(() => {
                pending.delete(id)
                types.delete(id)
              })
            ),
            Effect.onError(() => Effect.sync(() => listeners.delete(id))),
            Effect.map((result) => ({ id, result }))
          )
      }).pipe(Effect.withSpan("HomeAssistant.call", { attributes: { "home_assistant.type": type } }))

    const call = (type: string, fields: object = {}) => Effect.map(request(type, fields), ({ result }) => result)

    return {
      call,
      subscribe: (type, fields, onEvent) => Effect.map(request(type, fields, onEvent), ({ id }) => id),
      unsubscribe: (subscription) =>
        Effect.sync(() => listeners.delete(subscription)).pipe(
          Effect.andThen(call("unsubscribe_events", { subscription })),
          Effect.asVoid
        ),
      ended: Effect.raceFirst(
        Deferred.await(closed),
        Effect.forever(Effect.andThen(Effect.sleep(`${PING_EVERY} seconds`), call("ping")))
      )
    } satisfies HomeAssistantSession
  }).pipe(Effect.timeoutOrElse({ duration: `${LOGIN_LIMIT} seconds`, orElse: () => tooSlow(LOGIN_LIMIT) }))
