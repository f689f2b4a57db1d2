import { Deprecated, type DeprecatedEndpoint, Deprecation } from "@edp/domain/auth/middleware"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

/** RFC 9745 and RFC 8594. */
const headersOf = ({ since, sunset, notes }: DeprecatedEndpoint) => ({
  deprecation: `@${Math.floor(new Date(since).getTime() / 1000)}`,
  sunset: new Date(sunset).toUTCString(),
  link: `<${notes}>; rel="deprecation"`
})

/** Every answer of a deprecated endpoint tells so, its errors too. */
export const DeprecationLive = Layer.succeed(Deprecation, (httpEffect, { endpoint }) => {
  const endpointDeprecated = Context.get(endpoint.annotations, Deprecated)
  if (endpointDeprecated === undefined) return httpEffect
  const headers = headersOf(endpointDeprecated)
  return HttpEffect.withPreResponseHandler(httpEffect, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
})
