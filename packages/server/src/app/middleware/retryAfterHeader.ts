import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { Taken } from "../../platform/rate-limits/RateLimitStore.ts"

/** Tells with the answer when the window of a spent limit ends. */
export const retryAfterHeader = ({ retryAfter }: Pick<Taken, "retryAfter">) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfter)))
  )
