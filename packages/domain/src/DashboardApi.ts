import { HttpApi } from "effect/http-api"
import { AlertConfigurationApi } from "./alerts/AlertConfigurationApi.ts"
import { withConventions } from "./conventions.ts"
import { KeptReadingsApi } from "./telemetry/KeptReadingsApi.ts"

/**
 * What operators set, under `/dashboard/api`, for MANAGEMENT keys alone. It serves the dashboard and the command line of
 * the same version and is no part of the contract with integrators: it is in no OpenAPI document. Every request passes
 * through what a request of the contract passes through, in the same order.
 */
export class DashboardApi extends withConventions(
  HttpApi.make("dashboard").add(AlertConfigurationApi, KeptReadingsApi)
) {}
