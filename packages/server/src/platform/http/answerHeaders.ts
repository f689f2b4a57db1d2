import type { RequestInfo } from "./RequestInfo.ts"

/** The headers that every answer carries, and those of the rate limit once it was asked. */
export const answerHeaders = ({ id, rateLimit }: Pick<RequestInfo, "id" | "rateLimit">): Record<string, string> => ({
  "x-request-id": id,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  ...(rateLimit === undefined
    ? {}
    : {
        "x-ratelimit-limit": String(rateLimit.limit),
        "x-ratelimit-remaining": String(rateLimit.remaining),
        "x-ratelimit-reset": String(rateLimit.resetAt)
      })
})
