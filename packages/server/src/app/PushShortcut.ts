import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { UnknownError } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, Layer, Option } from "effect"
import { HttpServerRespondable } from "effect/http"
import { KeyAuthenticator } from "../api-keys/KeyAuthenticator.ts"
import { type GoodPush, QuickPush } from "../readings/ingest/QuickPush.ts"
import { pushedText } from "../readings/ingest/TelemetryPush.ts"
import { RateLimitStore } from "../platform/rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { ListeningServer } from "../platform/http/FrontServer.ts"
import { replayed } from "../platform/http/replayed.ts"
import { answerHeaders } from "../platform/http/answerHeaders.ts"
import { identify } from "../platform/http/identify.ts"

const path = /^(?:\/v1)?\/devices\/(c[0-9a-z]{24})\/telemetry$/

const json = /^application\/json *(?:; *charset="?utf-8"? *)?$/i

/** More than a reading needs; a longer body takes the ordinary way. */
const MAX_BODY = 16_384

/** Asks for more than a push: to be repeatable, to be readable by a page, or for a coding that even a small answer needs. */
const asksForMore = (headers: IncomingHttpHeaders) =>
  headers["idempotency-key"] !== undefined ||
  headers.origin !== undefined ||
  headers["accept-encoding"]?.includes("=0") === true

/** A request that may be a push of one reading: its key and its device. */
const outlineOf = ({ method, url, headers }: IncomingMessage) => {
  const key = headers["service-api-key"]
  const type = headers["content-type"]
  if (method !== "POST" || typeof key !== "string" || asksForMore(headers)) return undefined
  if (!(Number(headers["content-length"]) <= MAX_BODY) || (type !== undefined && !json.test(type))) return undefined
  const deviceId = path.exec(url ?? "")?.[1]
  return deviceId === undefined ? undefined : { key, deviceId }
}

type Outline = NonNullable<ReturnType<typeof outlineOf>>
type Pass = (request: IncomingMessage) => void

const bodyOf = (request: IncomingMessage) =>
  new Promise<Buffer>((resolve) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
  })

/** The answer to a push whose reading may be stored or not: as the boundary answers it, and without another attempt. */
const failed = Effect.fnUntraced(function* (error: unknown) {
  const isExpected = HttpServerRespondable.isRespondable(error)
  if (!isExpected) yield* Effect.logError("Unexpected error", error)
  const { body, status } = yield* HttpServerRespondable.toResponse(isExpected ? error : new UnknownError({}))
  return { status, text: body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : "" }
})

/**
 * What a fleet sends most, a single reading that is in order, is answered before the router: by the same checks and the
 * same batches, at half the cost. Everything else passes on as if it had not been looked at.
 */
export const PushShortcut = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* ListeningServer
    const keys = yield* KeyAuthenticator
    const quick = yield* QuickPush
    const store = yield* RateLimitStore
    const log = yield* AccessLog
    const clock = yield* Clock.Clock
    const { rateLimits, trustedProxies, corsOrigins, otlpEndpoint } = yield* ServerConfig
    // Traces are made on the ordinary way.
    if (Option.isSome(otlpEndpoint)) return
    const context = yield* Effect.context()
    const runPromise = Effect.runPromiseWith(context)

    /** The key's limit and what is left of it, undefined when nothing is. */
    const admit = async ({ id, rateLimits: own }: GoodPush["caller"]) => {
      const limit = own?.write ?? rateLimits.write
      const { count, resetAt } = await runPromise(store.take(`write:${id}`))
      return count > limit ? undefined : { limit, remaining: limit - count, resetAt }
    }

    /** Answers whether it has answered. */
    const answer = async (request: IncomingMessage, response: ServerResponse, outline: Outline, body: string) => {
      const began = clock.currentTimeNanosUnsafe()
      const push = await quick.check({ deviceId: outline.deviceId, body }, () => keys.ask(outline.key))
      const rateLimit = push && (await admit(push.caller))
      if (push === undefined || rateLimit === undefined) return false
      const stored = await push.store().then(
        (pushed) => pushed && { status: 200, text: pushedText(pushed) },
        (error: unknown) => runPromise(failed(error))
      )
      if (stored === undefined) return false
      const { status, text } = stored
      const { id: keyId, workspaceId } = push.caller
      const identity = identify(request.headers, request.socket.remoteAddress, trustedProxies)
      const info = { ...identity, route: "/devices/:id/telemetry", keyId, workspaceId, rateLimit }
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      const varying = corsOrigins !== "*" && request.url!.startsWith("/v1/") ? { vary: "Origin" } : {}
      response.writeHead(status, { ...headers, ...answerHeaders(info), ...varying }).end(text)
      const ms = Number(clock.currentTimeNanosUnsafe() - began) / 1e6
      log.write({ method: "POST", url: request.url! }, info, status, ms)
      return true
    }

    const serve = async (request: IncomingMessage, response: ServerResponse, outline: Outline, pass: Pass) => {
      const body = await bodyOf(request)
      const answered =
        isUtf8(body) &&
        (await answer(request, response, outline, body.toString()).catch(async (error) => {
          await runPromise(Effect.logError("A push could not be taken the short way", error))
          return response.headersSent
        }))
      if (!answered) pass(replayed(request, body))
    }

    server.front = (request, response, pass) => {
      const outline = outlineOf(request)
      if (outline === undefined) return false
      void serve(request, response, outline, pass)
      return true
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.front = undefined
      })
    )
  })
)
