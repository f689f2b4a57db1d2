import { NeedsBody } from "@edp/domain/auth/annotations"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { Context, Effect, Layer, Result, type Schema, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { bodyLimit, jsonBody } from "./jsonBody.ts"
import { narrowContext } from "../narrowContext.ts"

const required = invalid({ body: "Must be a JSON object" })

/** Decodes the body of an endpoint; undefined if it takes none. An absent body counts as `{}` if the schema allows it. */
const decodedPayload = (endpoint: HttpApiEndpoint.Top) => {
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

interface Call {
  readonly request: HttpServerRequest.HttpServerRequest
}

interface Handler {
  readonly endpoint: HttpApiEndpoint.Top
  readonly handler: (call: Call) => Effect.Effect<unknown, unknown, unknown>
}

interface Handlers {
  readonly handlers: Map<string, Handler>
}

type Build = (handlers: never) => Effect.Effect<Handlers, unknown, unknown>

/** Decodes the payload for the handler, within limits, and with an error response of limited size. */
const withPayload = (item: Handler) => {
  const decode = decodedPayload(item.endpoint)
  return decode === undefined
    ? item
    : {
        ...item,
        isRaw: true,
        handler: (call: Call) =>
          Effect.flatMap(decode(call.request), (payload) => item.handler({ ...call, payload } as Call))
      }
}

const withPayloads = (built: Handlers) => {
  for (const [name, item] of built.handlers) built.handlers.set(name, withPayload(item))
  return built
}

type Group = HttpApiGroup.Service<string, string>

/** `HttpApiBuilder.group` for handlers that an effect builds. They get the services of the process when they are built, see `narrowContext`. */
export const groupHandlers = ((api: never, group: never, build: Build) =>
  Layer.effectContext(
    Effect.contextWith((services: Context.Context<Scope.Scope>) => {
      const handlers = HttpApiBuilder.group(api, group, ((empty: never) =>
        Effect.map(Effect.provideContext(build(empty), services), withPayloads)) as never) as Layer.Layer<Group>
      return Effect.updateContext(Layer.build(handlers), narrowContext)
    })
  )) as unknown as typeof HttpApiBuilder.group
