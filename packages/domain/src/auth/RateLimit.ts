import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { RateLimited, UnknownError } from "../errors/ApiErrors.ts"
import { CurrentKey } from "./Authentication.ts"

/** The window a call counts in: read (GET), write (the rest), or bulk, which bulk endpoints count in instead. */
export type RateClass = "read" | "write" | "bulk"

/**
 * Endpoint annotation: the rate class. `method` follows the HTTP method; `readings` is bulk when the body carries
 * `readings`, else write.
 */
export class RateClassOf extends Context.Reference<"method" | "bulk" | "readings">("@edp/domain/RateClassOf", {
  defaultValue: () => "method"
}) {}

const perMinute = Schema.Int.annotate({ message: "Must be an integer from 1 to 1000000" })
  .check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }, { message: "Must be an integer from 1 to 1000000" }))
  .annotate({ description: "Requests a minute" })

/** Limits of one key, requests a minute and class; a class that is null or left out follows the deployment's default. */
export const RateLimits = Schema.Struct({
  read: Schema.optionalKey(Schema.NullOr(perMinute)),
  write: Schema.optionalKey(Schema.NullOr(perMinute)),
  bulk: Schema.optionalKey(Schema.NullOr(perMinute))
}).annotate({ identifier: "RateLimits", examples: [{ read: 600, write: null, bulk: null }] })
export type RateLimits = typeof RateLimits.Type

/** Counts the call against its key's window and answers RATE_LIMITED beyond the limit. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentKey }>()(
  "@edp/domain/RateLimit",
  { error: [RateLimited, UnknownError] }
) {}
