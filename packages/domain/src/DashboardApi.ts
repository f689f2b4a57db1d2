import { HttpApi } from "effect/http-api"
import { AlertConfigurationApi } from "./alerts/AlertConfigurationApi.ts"
import { Authentication } from "./auth/Authentication.ts"
import { ConditionalRead } from "./auth/ConditionalRead.ts"
import { Deprecation } from "./auth/Deprecation.ts"
import { Idempotency } from "./auth/Idempotency.ts"
import { RateLimit } from "./auth/RateLimit.ts"
import { RequestBody, ServiceErrors } from "./auth/RequestBody.ts"
import { KeptReadingsApi } from "./telemetry/KeptReadingsApi.ts"

/**
 * What operators set, under `/dashboard/api`, for MANAGEMENT keys alone. It serves the dashboard and the command line of
 * the same version and is no part of the contract with integrators: it is in no OpenAPI document. Every request passes
 * through what a request of the contract passes through, in the same order.
 */
export class DashboardApi extends HttpApi.make("dashboard")
  .add(AlertConfigurationApi, KeptReadingsApi)
  .middleware(ConditionalRead)
  .middleware(RequestBody)
  .middleware(Idempotency)
  .middleware(RateLimit)
  .middleware(Authentication)
  .middleware(Deprecation)
  .middleware(ServiceErrors)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.ParamsParseOptions, { errors: "all" }) {}
