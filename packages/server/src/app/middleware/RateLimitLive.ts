import { CurrentKey } from "@edp/domain/auth/Authentication"
import { type RateClass, RateClassOf, RateLimit } from "@edp/domain/auth/middleware"
import type { RateLimited } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { bodyLimit, jsonBody } from "../../platform/http/jsonBody.ts"
import { CurrentSession } from "../../platform/http/CurrentSession.ts"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { keyLimits } from "../../platform/rate-limits/keyLimits.ts"

type Reply = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled | RateLimited,
  HttpServerRequest.HttpServerRequest
>

/** Finds the rate class of a request. If the body decides it, the body is read first, within its limit. */
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
      // A body that can't be read counts as bulk, and is refused later.
      Effect.orElseSucceed((): RateClass => "bulk")
    )
}

const read = Effect.succeed<RateClass>("read")
const write = Effect.succeed<RateClass>("write")
const bulk = Effect.succeed<RateClass>("bulk")

/** Counts the request in the window of its session or key. Every response has the remaining requests. */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const limited = yield* keyLimits
    return (httpEffect, { endpoint }) => {
      const findRateClass = classifier(endpoint)
      // On the path of every request, one access to the context costs less than one for each service.
      return Effect.contextWith((context: Context.Context<CurrentKey | HttpServerRequest.HttpServerRequest>) =>
        Effect.flatMap(findRateClass(Context.get(context, HttpServerRequest.HttpServerRequest)), (rateClass): Reply =>
          limited(
            rateClass,
            Context.get(context, CurrentSession) ?? Context.get(context, CurrentKey),
            Context.get(context, CurrentRequest),
            httpEffect
          )
        )
      )
    }
  })
)
