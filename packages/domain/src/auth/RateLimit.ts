import { Context } from "effect"
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

/** Counts the call against its key's window and answers RATE_LIMITED beyond the limit. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentKey }>()(
  "@edp/domain/RateLimit",
  { error: [RateLimited, UnknownError] }
) {}
