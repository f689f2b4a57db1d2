import { RequestBody, ServiceErrors } from "@edp/domain/auth/middleware"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { bodyLimit, hasBody, jsonBody } from "../../platform/http/jsonBody.ts"
import { queryProblems } from "../../platform/http/queryProblems.ts"

const requestParts = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

type Reply = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled | ValidationError>

/** A request that does not decode is refused with all offending fields. */
const addDetails = (error: Types.unhandled): Effect.Effect<never, Types.unhandled | ValidationError> => {
  if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
  // A response that its own schema refuses is a bug: it dies and becomes UNKNOWN_ERROR.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.fail(invalid(schemaDetails(error.cause, requestParts[error.kind])))
}

/**
 * Checks the query and the body of every route, whether it has any or not. Bodies that a route accepts are
 * decoded by its handler, see `groupHandlers`.
 */
export const RequestBodyLive = Layer.succeed(RequestBody, (httpEffect, { endpoint }) => {
  const withDetails = Effect.catch(httpEffect, addDetails)
  const problems = queryProblems(endpoint.query)
  const limit = bodyLimit(endpoint)
  return Effect.withFiber((fiber): Reply => {
    const wrong = problems(Context.getUnsafe(fiber.context, HttpServerRequest.ParsedSearchParams))
    if (wrong !== undefined) return Effect.fail(invalid(wrong))
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    return endpoint.payload.size === 0 && hasBody(request)
      ? Effect.andThen(jsonBody(request, limit), withDetails)
      : withDetails
  })
})

/** Declares the errors of the boundary, which belong to every endpoint's contract. */
export const ServiceErrorsLive = Layer.succeed(ServiceErrors, (httpEffect) => httpEffect)
