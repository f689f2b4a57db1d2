import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { RateLimited, ServiceUnavailable, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, FiberSet, Layer } from "effect"
import { Adapters } from "../accounts/adapter-hosts/Adapters.ts"
import { type InboundListener, InboundRefused } from "@edp/adapter-kit/ManufacturerAdapter"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { ListeningServer } from "../platform/http/FrontServer.ts"
import { responseHeaders, identify } from "../platform/http/RequestInfo.ts"
import { failureLimit } from "../platform/rate-limits/failedAuthentications.ts"
import { respondRaw, requestProblem } from "./UnreadableRequests.ts"

/** Devices whose credentials are being looked up. More wait for their next attempt. */
const MAX_DECISIONS = 200
const DECIDE_WITHIN = "10 seconds"

/** An upgrade has no body: what follows its head belongs to the new protocol. */
const isPlainGet = ({ method, headers }: IncomingMessage) =>
  method === "GET" && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined

const body = ({ code, message }: { readonly code: string; readonly message: string }) => ({ code, message })

interface Refusal {
  readonly status: number
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

const unauthenticated: Refusal = {
  status: 401,
  body: body(new Unauthenticated({ message: "The device is unknown or its password is wrong" })),
  headers: { "www-authenticate": 'Basic realm="devices", charset="UTF-8"' }
}

const unavailable: Refusal = {
  status: 503,
  body: body(new ServiceUnavailable({ message: "No more devices can be taken now" })),
  headers: { "retry-after": "30" }
}

const busy = new InboundRefused({ reason: "busy" })

const limited = (retryAfter: number): Refusal => ({
  status: 429,
  body: {
    ...body(new RateLimited({ retryAfter, message: "Too many failed authentications" })),
    retryAfter
  },
  headers: { "retry-after": String(retryAfter) }
})

/**
 * Passes inbound connections of devices to their adapters, until its scope closes. Requests for an upgrade of any other
 * path are answered like other requests.
 */
export const serveInboundConnections = Effect.fn("serveInboundConnections")(function* (
  inboundListeners: ReadonlyArray<InboundListener>
) {
  const server = yield* ListeningServer
  const log = yield* AccessLog
  const clock = yield* Clock.Clock
  const { trustedProxies } = yield* ServerConfig
  const countFailure = yield* failureLimit
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const find = ({ url = "" }: IncomingMessage) => inboundListeners.find(({ path }) => url.startsWith(path))
  let decisions = 0

  const refusal = ({ reason }: InboundRefused, address: string) =>
    reason === "busy"
      ? Effect.succeed(unavailable)
      : Effect.map(countFailure(address), (window) =>
          window === undefined ? unauthenticated : limited(window.retryAfter)
        )

  const take = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const inbound = find(request)
    const info = identify(request.headers, socket.remoteAddress, trustedProxies)
    const began = clock.currentTimeMillisUnsafe()
    info.route = inbound === undefined ? undefined : `${inbound.path}:id`
    const note = (status: number) =>
      log.write(
        { method: "GET", url: request.url ?? "" },
        info,
        status,
        Math.max(0, clock.currentTimeMillisUnsafe() - began)
      )
    const refuse = ({ body, headers, status }: Refusal) =>
      respondRaw(socket, status, JSON.stringify(body), () => {
        note(status)
        return { date: new Date(clock.currentTimeMillisUnsafe()).toUTCString(), ...responseHeaders(info), ...headers }
      })
    if (inbound === undefined || decisions >= MAX_DECISIONS) return refuse(unavailable)
    decisions += 1
    const decided = inbound.authenticate(request).pipe(
      Effect.timeoutOrElse({ duration: DECIDE_WITHIN, orElse: () => Effect.fail(busy) }),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logWarning("A device with an inbound connection could not be authenticated", defect),
          Effect.fail(busy)
        )
      ),
      Effect.matchEffect({
        onSuccess: (takeOver) =>
          Effect.sync(() => {
            if (socket.destroyed) return
            note(101)
            takeOver(socket, head)
          }),
        onFailure: (refused) => Effect.map(refusal(refused, info.address), refuse)
      }),
      Effect.annotateLogs({ requestId: info.id }),
      Effect.ensuring(Effect.sync(() => void (decisions -= 1))),
      Effect.onInterrupt(() => Effect.sync(() => void socket.destroy()))
    )
    run(decided)
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      server.upgrades = {
        accepts: (request) =>
          find(request) !== undefined && isPlainGet(request) && requestProblem(request) === undefined,
        take
      }
    }),
    () =>
      Effect.sync(() => void (server.upgrades = undefined)).pipe(
        Effect.andThen(
          Effect.forEach(inboundListeners, ({ close }) => close, { discard: true, concurrency: "unbounded" })
        )
      )
  )
})

/** The inbound connections of all adapters. */
export const InboundConnections = Layer.effectDiscard(
  Effect.flatMap(Adapters, ({ running }) =>
    serveInboundConnections(
      running.flatMap(({ instance }) => (instance.inbound === undefined ? [] : [instance.inbound]))
    )
  )
)
