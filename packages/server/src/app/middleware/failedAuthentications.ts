import { RateLimited, type Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { callerNetwork } from "../../platform/rate-limits/callerNetwork.ts"
import { RateLimitStore } from "../../platform/rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { retryAfterHeader } from "../../platform/rate-limits/keyLimits.ts"

/** Rejects a caller with an invalid key, and counts that against its address, which limits guessing. */
export const failedAuthentications = Effect.gen(function* () {
  const limits = yield* RateLimitStore
  const { authFailuresPerMinute } = yield* ServerConfig
  return (error: Unauthenticated) =>
    Effect.gen(function* () {
      const { address } = yield* CurrentRequest
      const taken = yield* limits.take(`failures:${callerNetwork(address)}`)
      if (taken.count <= authFailuresPerMinute) return yield* error
      yield* retryAfterHeader(taken)
      return yield* new RateLimited({ retryAfter: taken.retryAfter, message: "Too many failed authentications" })
    })
})
