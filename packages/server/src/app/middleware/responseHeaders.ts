import {
  ConditionalRead,
  Deprecated,
  type DeprecatedEndpoint,
  Deprecation,
  readsOne
} from "@edp/domain/auth/middleware"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isKnown, weakTag } from "../../platform/http/entityTag.ts"

/** Callers may store the resource, but must revalidate it each time. */
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

/** The response is always built and compared; a match saves its transfer only. */
export const ConditionalReadLive = Layer.succeed(ConditionalRead, (httpEffect, { endpoint }) =>
  readsOne(endpoint)
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(httpEffect, (response) => conditional(request, response))
      )
    : httpEffect
)

/** RFC 9745 and RFC 8594. */
const deprecationHeaders = ({ since, sunset, notes }: DeprecatedEndpoint) => ({
  deprecation: `@${Math.floor(new Date(since).getTime() / 1000)}`,
  sunset: new Date(sunset).toUTCString(),
  link: `<${notes}>; rel="deprecation"`
})

/** Marks every response of a deprecated endpoint, errors included. */
export const DeprecationLive = Layer.succeed(Deprecation, (httpEffect, { endpoint }) => {
  const endpointDeprecated = Context.get(endpoint.annotations, Deprecated)
  if (endpointDeprecated === undefined) return httpEffect
  const headers = deprecationHeaders(endpointDeprecated)
  return HttpEffect.withPreResponseHandler(httpEffect, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
})
