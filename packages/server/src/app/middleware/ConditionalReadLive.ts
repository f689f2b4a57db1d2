import { ConditionalRead, readsOne } from "@edp/domain/auth/middleware"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isKnown, weakTag } from "../../platform/http/entityTag.ts"

/** The caller may keep the resource, and asks each time whether it is still as it was. */
const cacheControl = "private, no-cache"

const conditional = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (response.status !== 200 || response.body._tag !== "Uint8Array") return response
  const etag = weakTag(response.body.text ?? response.body.body)
  const headers = { etag, "cache-control": cacheControl }
  return isKnown(request.headers["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.setHeaders(response, headers)
}

/** The answer is made and compared whole: what it saves is its way to the caller. */
export const ConditionalReadLive = Layer.succeed(ConditionalRead, (httpEffect, { endpoint }) =>
  readsOne(endpoint)
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(httpEffect, (response) => conditional(request, response))
      )
    : httpEffect
)
