import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from "@edp/domain/auth/middleware"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { allowedMethods, browserMethods } from "../allowedMethods.ts"
import { varyingBy } from "../../platform/http/compression.ts"
import type { Origins } from "../../platform/network/origins.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const exposed = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "X-Next-Cursor",
  "ETag",
  IDEMPOTENCY_REPLAYED
].join(", ")

const taken = [
  "Service-Api-Key",
  "Content-Type",
  IDEMPOTENCY_KEY,
  "If-None-Match",
  "X-Request-Id",
  // what pages that are traced send along
  "traceparent",
  "tracestate",
  "b3"
].join(", ")

/** No browser believes a longer one. */
const MAX_AGE_SECONDS = "7200"

/** The value of Access-Control-Allow-Origin for an origin; undefined if its pages may not call. */
const allowed = (origins: Origins, origin: string | undefined) => {
  if (origins === "*") return "*"
  return origin !== undefined && origins.has(origin) ? origin : undefined
}

const withHeaders = (response: Response, origins: Origins, headers: Readonly<Record<string, string>>) =>
  HttpServerResponse.setHeaders(origins === "*" ? response : varyingBy(response, "Origin"), headers)

/** Allows the calling page to read a response under `/v1`, including errors. */
export const readable = (origins: Origins, request: Request, response: Response): Response => {
  const { origin } = request.headers
  if (origin === undefined && origins === "*") return response
  if (!request.url.startsWith("/v1/") || request.method === "OPTIONS") return response
  const allow = allowed(origins, origin)
  return withHeaders(
    response,
    origins,
    allow === undefined ? {} : { "access-control-allow-origin": allow, "access-control-expose-headers": exposed }
  )
}

/**
 * The response to a preflight request, which carries no key. Undefined if pages may not call the path or the method. Effect's CORS
 * middleware is not used: it responds with OPTIONS on every path alike, also on unknown ones and those that pages may not call.
 */
export const preflight = (origins: Origins, request: Request): Response | undefined => {
  const path = request.url.split("?", 1)[0] ?? ""
  const methods = browserMethods(path)
  const { origin, "access-control-request-method": asked } = request.headers
  if (methods.length === 0 || (asked !== undefined && !methods.includes(asked))) return undefined
  const allow = allowed(origins, origin)
  const reply = HttpServerResponse.empty({ status: 204, headers: { allow: allowedMethods(path) } })
  return withHeaders(
    reply,
    origins,
    allow === undefined
      ? {}
      : {
          "access-control-allow-origin": allow,
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": taken,
          "access-control-max-age": MAX_AGE_SECONDS
        }
  )
}
