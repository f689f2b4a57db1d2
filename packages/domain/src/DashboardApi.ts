import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { SimulatorApi } from "./accounts/SimulatorApi.ts"
import { AlertConfigurationApi } from "./alerts/AlertsApi.ts"
import { type UnexpectedResponse, namingUnexpected } from "./client/responses.ts"
import { authentication } from "./client/authentication.ts"
import type { ClientOptions } from "./client/retries.ts"
import { ConnectedAccountsApi, ConnectFunnelApi } from "./connections/ConnectionsApi.ts"
import { withConventions } from "./auth/middleware.ts"
import { AnnotationsApi } from "./dashboard/AnnotationsApi.ts"
import { DeviceConnectionsApi } from "./dashboard/DeviceConnectionsApi.ts"
import { HealthApi } from "./dashboard/HealthApi.ts"
import { FleetApi } from "./dashboard/FleetApi.ts"
import { ListedAlertsApi } from "./dashboard/ListedAlertsApi.ts"
import { OpenAdrServerApi } from "./dashboard/OpenAdrServerApi.ts"
import { OverviewApi } from "./dashboard/OverviewApi.ts"
import { NamesApi } from "./dashboard/NamesApi.ts"
import { SavedFiltersApi } from "./dashboard/SavedFiltersApi.ts"
import { SessionsApi, SignInApi } from "./dashboard/SessionsApi.ts"
import { StreamApi } from "./dashboard/StreamApi.ts"
import { DestinationOverviewsApi } from "./destinations/DestinationOverviewsApi.ts"
import { WorkspaceMovesApi } from "./moves/WorkspaceMovesApi.ts"
import { FollowedSchedulesApi } from "./schedules/FollowedSchedulesApi.ts"
import { KeptReadingsApi } from "./telemetry/KeptReadingsApi.ts"
import { ReadingPagesApi } from "./telemetry/ReadingPagesApi.ts"
import { ReadingRetentionApi } from "./telemetry/ReadingRetentionApi.ts"

/**
 * The operators' endpoints under `/dashboard/api`, for MANAGEMENT keys and sessions. They serve the dashboard and the command line of
 * the same version and are not part of the public contract or of its OpenAPI document. They have the same middleware as the
 * public endpoints; the only one without authentication is the sign-in.
 */
export class DashboardApi extends withConventions(
  HttpApi.make("dashboard").add(
    AlertConfigurationApi,
    KeptReadingsApi,
    ConnectFunnelApi,
    ConnectedAccountsApi,
    DestinationOverviewsApi,
    SimulatorApi,
    SessionsApi,
    StreamApi,
    HealthApi,
    AnnotationsApi,
    FleetApi,
    OverviewApi,
    SavedFiltersApi,
    NamesApi,
    OpenAdrServerApi,
    DeviceConnectionsApi,
    FollowedSchedulesApi,
    ListedAlertsApi,
    WorkspaceMovesApi,
    ReadingPagesApi,
    ReadingRetentionApi
  )
  // Added last: nobody who signs in is authenticated yet.
).add(SignInApi) {}

export type DashboardClient = HttpApiClient.ForApi<typeof DashboardApi, UnexpectedResponse>

/** A client of the operators' endpoints, for a MANAGEMENT key and a service of the same version. */
export const makeDashboardClient = (
  options: ClientOptions
): Effect.Effect<DashboardClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(DashboardApi, { baseUrl: options.baseUrl, transformResponse: namingUnexpected }).pipe(
    Effect.map((client) => client as DashboardClient),
    Effect.provide(authentication(options))
  )
