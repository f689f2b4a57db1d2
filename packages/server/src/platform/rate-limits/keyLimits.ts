import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { RateClass } from "@edp/domain/auth/middleware"
import { RateLimited } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { RequestInfo } from "../http/RequestInfo.ts"
import { RateLimitStore, type Taken } from "./RateLimitStore.ts"

/** States in the response when the window of a spent limit ends. */
export const retryAfterHeader = ({ retryAfter }: Pick<Taken, "retryAfter">) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfter)))
  )

const refuse = (taken: Taken) =>
  Effect.andThen(retryAfterHeader(taken), Effect.fail(new RateLimited({ retryAfter: taken.retryAfter })))

/** Runs an effect if the window of its key and class allows it, and records what is left of the window. */
export const keyLimits = Effect.gen(function* () {
  const store = yield* RateLimitStore
  const { rateLimits } = yield* ServerConfig
  return <A, E, R>(
    rateClass: RateClass,
    key: Pick<CurrentKey["Service"], "id" | "rateLimits">,
    info: RequestInfo,
    effect: Effect.Effect<A, E, R>
  ) => {
    const limit = key.rateLimits?.[rateClass] ?? rateLimits[rateClass]
    return Effect.flatMap(
      store.take(`${rateClass}:${key.id}`),
      (taken): Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest> => {
        info.rateLimit = { limit, remaining: Math.max(0, limit - taken.count), resetAt: taken.resetAt }
        return taken.count <= limit ? effect : refuse(taken)
      }
    )
  }
})
