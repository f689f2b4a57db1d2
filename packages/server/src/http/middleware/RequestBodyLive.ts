import { RequestBody } from "@edp/domain/auth/RequestBody"
import { OptionalBody } from "@edp/domain/auth/OptionalBody"
import { RateClassOf } from "@edp/domain/auth/RateLimit"
import { invalid } from "@edp/domain/errors/invalid"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { ByteSize, Context, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
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

/** Reads the body within its limit, and answers VALIDATION_ERROR with every offending field for what does not decode. */
export const RequestBodyLive = Layer.succeed(RequestBody, (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const limit = bodyLimit(endpoint)
    if (endpoint.payload.size > 0 && Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) {
      return yield* tooLarge(limit)
    }
    const limited = Effect.provideService(httpEffect, HttpIncomingMessage.MaxBodySize, limit)
    const optional = Context.get(endpoint.annotations, OptionalBody) && isAbsent(request)
    return yield* optional
      ? Effect.provideService(limited, HttpServerRequest.HttpServerRequest, withEmptyObject(request))
      : limited
  }).pipe(
    Effect.catch((error) => {
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
      // An answer that its own schema refuses is a bug: it dies and becomes UNKNOWN_ERROR.
      if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
      return Effect.fail(invalid(schemaDetails(error.cause, wholeOf[error.kind])))
    })
  )
)
