import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { NotFound, invalid } from "@edp/domain/errors/ApiErrors"
import { errorCodes } from "@edp/domain/errors/ErrorCode"
import type { ServerResponse } from "node:http"
import { Cause, Clock, Context, Effect, Option, References, Tracer } from "effect"
import {
  HttpEffect,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import { HttpApiError } from "effect/http-api"
import { AccessLog } from "../../platform/http/AccessLog.ts"
import { allowedMethods } from "../allowedMethods.ts"
import {
  responseHeaders,
  CurrentRequest,
  identify,
  type RequestInfo,
  unexpectedError
} from "../../platform/http/RequestInfo.ts"
import { compressed } from "../../platform/http/compression.ts"
import { preflight, readable } from "./crossOrigin.ts"
import type { Origins } from "../../platform/network/origins.ts"
import { tooManyUnread, UnreadResponses } from "../../platform/observability/UnreadResponses.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"

const path = (request: HttpServerRequest.HttpServerRequest) => request.url.split("?", 1)[0] ?? ""

/** The OpenADR server has errors of its own form. */
const isOpenAdr = ({ url }: HttpServerRequest.HttpServerRequest) => url.startsWith("/openadr3/")

/** The router ends a path at `;` or `#`, but callers and proxies do not, so such a path matches no route. */
const isAmbiguous = (request: HttpServerRequest.HttpServerRequest) =>
  request.url.includes("#") || path(request).includes(";")

const noRoute = () => HttpServerRespondable.toResponse(new NotFound({ message: "There is no such route" }))

/** An address of the hosted pages that no route can match, such as one with a broken escape: users get a page. */
const UNKNOWN_LINK = "/connect/unknown"
const isHostedPage = ({ method, url }: HttpServerRequest.HttpServerRequest) =>
  method === "GET" && /^\/(?:connect|enroll|oauth)\//.test(url)
const unknownLink = Effect.succeed(HttpServerResponse.redirect(UNKNOWN_LINK, { status: 303 }))

const notFound = (request: HttpServerRequest.HttpServerRequest) => {
  if (isHostedPage(request)) return unknownLink
  const allow = allowedMethods(path(request))
  return allow === "" ? noRoute() : Effect.map(noRoute(), HttpServerResponse.setHeader("allow", allow))
}

/** The response to any failure that is not one of the endpoint's own errors. */
const failure = (request: HttpServerRequest.HttpServerRequest, info: RequestInfo, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") return notFound(request)
    if (error.reason._tag === "RequestParseError") {
      return HttpServerRespondable.toResponse(invalid({ body: error.reason.description ?? "Could not be read" }))
    }
  }
  // Services that cannot continue without the database die with the error that the caller sees. A response that its
  // own schema refuses would respond too, but without a body or a word in the log.
  if (HttpServerRespondable.isRespondable(error) && !HttpApiError.HttpApiSchemaError.is(error)) {
    return HttpServerRespondable.toResponse(error)
  }
  return Effect.logError("Unexpected error", cause).pipe(
    Effect.andThen(HttpServerRespondable.toResponse(unexpectedError(info)))
  )
}

const manyUnread = HttpServerRespondable.toResponse(tooManyUnread)

const notJson = HttpServerRespondable.toResponse(invalid({ body: "Must be JSON, with Content-Type: application/json" }))

/** Puts the request's id on every log line and span. A request without a span of its own has none within. */
const identified =
  (info: RequestInfo) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(effect, (context: Context.Context<R>) => {
      const known = context.pipe(
        Context.add(CurrentRequest, info),
        Context.add(References.CurrentLogAnnotations, { requestId: info.id })
      )
      return Context.getOrUndefined(known, Tracer.ParentSpan) === undefined
        ? Context.add(known, References.TracerEnabled, false)
        : Context.add(known, References.TracerSpanAnnotations, { "request.id": info.id })
    })

/** The outermost middleware of every request: its id, its log line, and one shape for all errors. */
export const boundary = HttpRouter.middleware(
  Effect.gen(function* () {
    const { trustedProxies, corsOrigins } = yield* ServerConfig
    const log = yield* AccessLog
    const clock = yield* Clock.Clock
    const { hold } = yield* UnreadResponses

    /** The compressed response, or SERVICE_UNAVAILABLE when too much memory is held by unread responses. */
    const bounded = (
      request: HttpServerRequest.HttpServerRequest,
      info: RequestInfo,
      response: HttpServerResponse.HttpServerResponse
    ) => {
      if (response.body._tag !== "Uint8Array" || request.method === "HEAD") return compressed(request, response)
      const nodeResponse = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const held = hold(info.keyId, response.body.contentLength, nodeResponse)
      if (held === undefined) return manyUnread
      return Effect.map(compressed(request, response), (sent) => {
        if (sent.body._tag === "Uint8Array") held.resize(sent.body.contentLength)
        return sent
      })
    }

    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const info = identify(
          request.headers,
          Option.getOrUndefined(request.remoteAddress as Option.Option<string>),
          trustedProxies
        )
        const began = clock.currentTimeNanosUnsafe()
        const answered = Effect.matchCauseEffect(orPreflight(httpEffect, request, corsOrigins), {
          onSuccess: (response) =>
            response.status === 415 && !isOpenAdr(request) ? notJson : Effect.succeed(response),
          onFailure: (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failure(request, info, cause)
        }).pipe(Effect.flatMap((response) => bounded(request, info, response)))
        return Effect.annotateCurrentSpan({ "request.id": info.id }).pipe(
          Effect.andThen(identified(info)(answered)),
          HttpEffect.withPreResponseHandler((_, response) => {
            log.write(request, info, response.status, Number(clock.currentTimeNanosUnsafe() - began) / 1e6)
            return Effect.succeed(readable(corsOrigins, request, withHeaders(response, info)))
          })
        )
      })
  }),
  { global: true }
)

/** OPTIONS is for CORS preflight requests only; no endpoint has it. */
const orPreflight = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  request: HttpServerRequest.HttpServerRequest,
  origins: Origins
) => {
  if (isAmbiguous(request)) return isHostedPage(request) ? unknownLink : noRoute()
  const reply = request.method === "OPTIONS" ? preflight(origins, request) : undefined
  if (reply !== undefined) return Effect.succeed(reply)
  const url = decodableUrl(request.url)
  if (url === request.url) return httpEffect
  if (isHostedPage(request)) return unknownLink
  return Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
}

const isDecodable = (segment: string) => {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

/** NUL, which no id, name or tag holds. */
const NOTHING = "%00"

/**
 * A segment of the path that is no percent-encoded UTF-8 means a record that does not exist, like every id of a wrong form. The router
 * would find no route, and the response would not be one of the endpoint's.
 */
const decodableUrl = (url: string) => {
  const end = url.indexOf("?")
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.includes("%") || isDecodable(path)) return url
  const segments = path.split("/").map((segment) => (isDecodable(segment) ? segment : NOTHING))
  return segments.join("/") + url.slice(path.length)
}

const withHeaders = (response: HttpServerResponse.HttpServerResponse, info: RequestInfo) => {
  const own = response.headers["cache-control"]
  // SERVICE_UNAVAILABLE is 502, but 503 where it is known when to try again.
  const isPassing = info.retryAfter !== undefined && response.status === errorCodes.SERVICE_UNAVAILABLE.status
  return HttpServerResponse.setHeaders(isPassing ? HttpServerResponse.setStatus(response, 503) : response, {
    ...responseHeaders(info),
    ...(isPassing ? { "retry-after": String(info.retryAfter) } : {}),
    ...(own === undefined ? {} : { "cache-control": own })
  })
}
