import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Authentication } from "./auth/Authentication.ts"
import { ConditionalRead } from "./auth/ConditionalRead.ts"
import { Deprecation } from "./auth/Deprecation.ts"
import { Idempotency } from "./auth/Idempotency.ts"
import { RateLimit } from "./auth/RateLimit.ts"
import { RequestBody, ServiceErrors } from "./auth/RequestBody.ts"

/**
 * What every request passes through. The last middleware is the outermost: who calls, then the rate limit, then whether the
 * request was answered before, then the body, so that a bad key is told before a spent limit and a spent limit before a bad
 * request.
 */
export const withConventions = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  api
    .middleware(ConditionalRead)
    .middleware(RequestBody)
    .middleware(Idempotency)
    .middleware(RateLimit)
    .middleware(Authentication)
    .middleware(Deprecation)
    .middleware(ServiceErrors)
    .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
    .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
    .annotate(HttpApi.ParamsParseOptions, { errors: "all" })
