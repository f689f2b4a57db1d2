import { CurrentKey } from "@edp/domain/auth/Authentication"
import { type RateClass, RateClassOf, RateLimit } from "@edp/domain/auth/middleware"
import type { RateLimited } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { bodyLimit, jsonBody } from "../../platform/http/jsonBody.ts"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { keyLimits } from "../../platform/rate-limits/keyLimits.ts"

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled | RateLimited,
  HttpServerRequest.HttpServerRequest
>

/** Tells the class of a call; one whose body decides it is read first, within its limit. */
const classifier = (
  endpoint: HttpApiEndpoint.Top
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<RateClass>) => {
  const declared = Context.get(endpoint.annotations, RateClassOf)
  if (declared === "bulk") return () => bulk
  if (declared === "method") return ({ method }) => (method === "GET" || method === "HEAD" ? read : write)
  const limit = bodyLimit(endpoint)
  return (request) =>
    jsonBody(request, limit).pipe(
      Effect.map(({ value }): RateClass => ("readings" in value ? "bulk" : "write")),
      // A body that can't be read is counted as what it claims by its size, and refused after that.
      Effect.orElseSucceed((): RateClass => "bulk")
    )
}

const read = Effect.succeed<RateClass>("read")
const write = Effect.succeed<RateClass>("write")
const bulk = Effect.succeed<RateClass>("bulk")

/** Counts the call in its key's window, and tells what is left of it with every answer. */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const limited = yield* keyLimits
    return (httpEffect, { endpoint }) => {
      const classOf = classifier(endpoint)
      // Every request passes here: one look into its context costs less than asking for each service.
      return Effect.contextWith((context: Context.Context<CurrentKey | HttpServerRequest.HttpServerRequest>) =>
        Effect.flatMap(classOf(Context.get(context, HttpServerRequest.HttpServerRequest)), (rateClass): Answer =>
          limited(rateClass, Context.get(context, CurrentKey), Context.get(context, CurrentRequest), httpEffect)
        )
      )
    }
  })
)
