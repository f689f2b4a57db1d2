import { RequestBody } from "@edp/domain/auth/RequestBody"
import { OptionalBody } from "@edp/domain/auth/OptionalBody"
import { RateClassOf } from "@edp/domain/auth/RateLimit"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { ByteSize, Context, Effect, Layer, type Types } from "effect"
import { HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"

const ORDINARY = ByteSize.mebibytes(1)
const BULK = ByteSize.mebibytes(5)

/** The greatest body that an endpoint reads. */
export const bodyLimit = (endpoint: HttpApiEndpoint.Top) =>
  Context.get(endpoint.annotations, RateClassOf) === "method" ? ORDINARY : BULK

const tooLarge = (limit: ByteSize.ByteSize) =>
  invalid({ body: `Must be at most ${ByteSize.toNumberUnsafe(limit) / 1024 / 1024} MiB` })

const wholeOf = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

const isAbsent = (request: HttpServerRequest.HttpServerRequest) =>
  request.headers["transfer-encoding"] === undefined && Number(request.headers["content-length"] ?? 0) === 0

// An absent body is `{}` where the endpoint asks for none, whatever the content type says.
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest) =>
  new Proxy(request, {
    get: (target, key) => {
      if (key === "text") return Effect.succeed("{}")
      if (key === "headers") return { ...target.headers, "content-type": "application/json" }
      const value = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    }
  })

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled | ValidationError>

/** What does not decode is answered with every offending field. */
const tell = (error: Types.unhandled): Effect.Effect<never, Types.unhandled | ValidationError> => {
  if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
  // An answer that its own schema refuses is a bug: it dies and becomes UNKNOWN_ERROR.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.fail(invalid(schemaDetails(error.cause, wholeOf[error.kind])))
}

/** Reads the body within its limit, and answers VALIDATION_ERROR with every offending field for what does not decode. */
export const RequestBodyLive = Layer.succeed(RequestBody, (httpEffect, { endpoint }) => {
  const told = Effect.catch(httpEffect, tell)
  if (endpoint.payload.size === 0) return told
  const limit = bodyLimit(endpoint)
  const limited = Effect.provideService(told, HttpIncomingMessage.MaxBodySize, limit)
  const optional = Context.get(endpoint.annotations, OptionalBody)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Answer => {
    if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) return Effect.fail(tooLarge(limit))
    return optional && isAbsent(request)
      ? Effect.provideService(limited, HttpServerRequest.HttpServerRequest, withEmptyObject(request))
      : limited
  })
})
