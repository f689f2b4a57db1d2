import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { AlertConfigurationApi } from "./alerts/AlertsApi.ts"
import { type UnexpectedAnswer, namingUnexpected } from "./client/answers.ts"
import { authentication } from "./client/authentication.ts"
import type { ClientOptions } from "./client/retries.ts"
import { withConventions } from "./auth/middleware.ts"
import { KeptReadingsApi } from "./telemetry/KeptReadingsApi.ts"

/**
 * What operators set, under `/dashboard/api`, for MANAGEMENT keys alone. It serves the dashboard and the command line of
 * the same version and is no part of the contract with integrators: it is in no OpenAPI document. Every request passes
 * through what a request of the contract passes through, in the same order.
 */
export class DashboardApi extends withConventions(
  HttpApi.make("dashboard").add(AlertConfigurationApi, KeptReadingsApi)
) {}

export type DashboardClient = HttpApiClient.ForApi<typeof DashboardApi, UnexpectedAnswer>

/** A client of the operators' endpoints, for a MANAGEMENT key and the service of the very same version. */
export const makeDashboardClient = (
  options: ClientOptions
): Effect.Effect<DashboardClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(DashboardApi, { baseUrl: options.baseUrl, transformResponse: namingUnexpected }).pipe(
    Effect.map((client) => client as DashboardClient),
    Effect.provide(authentication(options))
  )
