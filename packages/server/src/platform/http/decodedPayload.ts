import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { NeedsBody } from "@edp/domain/auth/annotations"
import { Context, Effect, Result, type Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { bodyLimit, jsonBody } from "./jsonBody.ts"

const required = invalid({ body: "Must be a JSON object" })

/** Decodes the body of an endpoint; undefined where it takes none. A body that is left out counts as `{}` where that will do. */
export const decodedPayload = (endpoint: HttpApiEndpoint.Top) => {
  const [schema] = Array.from(endpoint.payload.values(), ({ schemas }) => schemas[0])
  if (schema === undefined) return undefined
  const decode = validator(schema as Schema.Codec<unknown, unknown>, "body")
  const needed = Context.get(endpoint.annotations, NeedsBody) || Result.isFailure(decode({}))
  const limit = bodyLimit(endpoint)
  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, ValidationError> =>
    Effect.flatMap(jsonBody(request, limit), ({ isPresent, value }) => {
      if (needed && !isPresent) return Effect.fail(required)
      const result = decode(value)
      return Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(invalid(result.failure))
    })
}
