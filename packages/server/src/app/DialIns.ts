import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { RateLimited, ServiceUnavailable, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, FiberSet, Layer } from "effect"
import { Adapters } from "../accounts/Adapters.ts"
import * as accounts from "../accounts/layer.ts"
import { type DialIn, DialInRefused } from "../adapters/ManufacturerAdapter.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { ListeningServer } from "../platform/http/FrontServer.ts"
import { answerHeaders, identify } from "../platform/http/RequestInfo.ts"
import { ports } from "./Api.ts"
import { failureLimit } from "../platform/rate-limits/failedAuthentications.ts"
import { answerRaw, requestProblem } from "./UnreadableRequests.ts"

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

const busy = new DialInRefused({ reason: "busy" })

const limited = (retryAfter: number): Refusal => ({
  status: 429,
  body: {
    ...body(new RateLimited({ retryAfter, message: "Too many failed authentications" })),
    retryAfter
  },
  headers: { "retry-after": String(retryAfter) }
})

/**
 * Hands the connections of devices that dial in to their adapters, until its scope closes. Requests for an upgrade of any other
 * path are answered like other requests.
 */
export const serveDialIns = Effect.fn("serveDialIns")(function* (dialIns: ReadonlyArray<DialIn>) {
  const server = yield* ListeningServer
  const log = yield* AccessLog
  const clock = yield* Clock.Clock
  const { trustedProxies } = yield* ServerConfig
  const countFailure = yield* failureLimit
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const find = ({ url = "" }: IncomingMessage) => dialIns.find(({ path }) => url.startsWith(path))
  let decisions = 0

  const refusal = ({ reason }: DialInRefused, address: string) =>
    reason === "busy"
      ? Effect.succeed(unavailable)
      : Effect.map(countFailure(address), (window) =>
          window === undefined ? unauthenticated : limited(window.retryAfter)
        )

  const take = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const dialIn = find(request)
    const info = identify(request.headers, socket.remoteAddress, trustedProxies)
    const began = clock.currentTimeMillisUnsafe()
    info.route = dialIn === undefined ? undefined : `${dialIn.path}:id`
    const note = (status: number) =>
      log.write(
        { method: "GET", url: request.url ?? "" },
        info,
        status,
        Math.max(0, clock.currentTimeMillisUnsafe() - began)
      )
    const refuse = ({ body, headers, status }: Refusal) =>
      answerRaw(socket, status, JSON.stringify(body), () => {
        note(status)
        return { date: new Date(clock.currentTimeMillisUnsafe()).toUTCString(), ...answerHeaders(info), ...headers }
      })
    if (dialIn === undefined || decisions >= MAX_DECISIONS) return refuse(unavailable)
    decisions += 1
    const decided = dialIn.authenticate(request).pipe(
      Effect.timeoutOrElse({ duration: DECIDE_WITHIN, orElse: () => Effect.fail(busy) }),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logWarning("A device that dialled in could not be authenticated", defect),
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
        Effect.andThen(Effect.forEach(dialIns, ({ close }) => close, { discard: true, concurrency: "unbounded" }))
      )
  )
})

/** The dial-ins of all adapters. */
export const DialIns = Layer.effectDiscard(
  Effect.flatMap(Adapters, ({ running }) =>
    serveDialIns(running.flatMap(({ instance }) => (instance.dialIn === undefined ? [] : [instance.dialIn])))
  )
).pipe(Layer.provide(accounts.layer), Layer.provide(ports))
