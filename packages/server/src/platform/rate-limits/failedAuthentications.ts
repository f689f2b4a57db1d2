import { RateLimited, type Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { CurrentRequest } from "../http/RequestInfo.ts"
import { callerNetwork } from "./callerNetwork.ts"
import { retryAfterHeader } from "./keyLimits.ts"
import { RateLimitStore } from "./RateLimitStore.ts"

/** Counts a failed authentication against an address. Returns the window if the address has failed too often in it. */
export const failureLimit = Effect.gen(function* () {
  const limits = yield* RateLimitStore
  const { authFailuresPerMinute } = yield* ServerConfig
  return (address: string) =>
    Effect.map(limits.take(`failures:${callerNetwork(address)}`), (taken) =>
      taken.count <= authFailuresPerMinute ? undefined : taken
    )
})

/** Rejects a caller with an invalid key, and counts that against its address, which limits guessing. */
export const failedAuthentications = Effect.gen(function* () {
  const countFailure = yield* failureLimit
  return (error: Unauthenticated) =>
    Effect.gen(function* () {
      const { address } = yield* CurrentRequest
      const taken = yield* countFailure(address)
      if (taken === undefined) return yield* error
      yield* retryAfterHeader(taken)
      return yield* new RateLimited({ retryAfter: taken.retryAfter, message: "Too many failed authentications" })
    })
})
