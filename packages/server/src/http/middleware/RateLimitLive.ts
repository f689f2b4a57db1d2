import { CurrentKey } from "@edp/domain/auth/Authentication"
import { type RateClass, RateClassOf, RateLimit } from "@edp/domain/auth/RateLimit"
import { RateLimited } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpIncomingMessage, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RateLimitStore } from "../../rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { CurrentRequest } from "../RequestInfo.ts"
import { bodyLimit } from "./RequestBodyLive.ts"

const carriesReadings = (text: string) => {
  // Most bodies are told by a glance; parsing twice is left to those that leave a doubt.
  if (!text.includes('"readings"')) return false
  if (/^\s*\{\s*"readings"\s*:/.test(text)) return true
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null && "readings" in body
  } catch {
    return false
  }
}

/** The class of a call; one whose body decides it is read first, within its limit. */
const classOf = (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<RateClass> => {
  const declared = Context.get(endpoint.annotations, RateClassOf)
  if (declared === "bulk") return Effect.succeed("bulk")
  if (declared === "method") {
    return Effect.succeed(request.method === "GET" || request.method === "HEAD" ? "read" : "write")
  }
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit(endpoint)),
    Effect.map((text): RateClass => (carriesReadings(text) ? "bulk" : "write")),
    // A body that can't be read is counted as what it claims by its size, and refused after that.
    Effect.orElseSucceed((): RateClass => "bulk")
  )
}

/** Counts the call in its key's window, and tells what is left of it with every answer. */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const store = yield* RateLimitStore
    const { rateLimits } = yield* ServerConfig
    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = yield* CurrentKey
        const rateClass = yield* classOf(request, endpoint)
        const limit = key.rateLimits?.[rateClass] ?? rateLimits[rateClass]
        const taken = yield* store.take(`${rateClass}:${key.id}`)
        const info = yield* CurrentRequest
        info.rateLimit = { limit, remaining: Math.max(0, limit - taken.count), resetAt: taken.resetAt }
        if (taken.count <= limit) return yield* httpEffect
        yield* HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(taken.retryAfter)))
        )
        return yield* new RateLimited({ retryAfter: taken.retryAfter })
      })
  })
)
