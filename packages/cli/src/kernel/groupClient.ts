import { authentication } from "@edp/domain/client/authentication"
import type { ClientOptions } from "@edp/domain/client/retries"
import { asAnswered } from "@edp/domain/client/responses"
import { withConventions } from "@edp/domain/auth/middleware"
import { Effect } from "effect"
import { HttpApi, HttpApiClient, type HttpApiGroup } from "effect/http-api"

/** The groups of the API and of the operators' endpoints. Loaded one by one: the whole contract doubles the start time. */
const groups = {
  alerts: async () => (await import("@edp/domain/alerts/AlertsApi")).AlertsApi,
  apiKeys: async () => (await import("@edp/domain/api-keys/ApiKeysApi")).ApiKeysApi,
  auditLogs: async () => (await import("@edp/domain/audit/AuditLogsApi")).AuditLogsApi,
  collections: async () => (await import("@edp/domain/collections/CollectionsApi")).CollectionsApi,
  batchCommands: async () => (await import("@edp/domain/commands/BatchCommandsApi")).BatchCommandsApi,
  commands: async () => (await import("@edp/domain/commands/CommandsApi")).CommandsApi,
  connections: async () => (await import("@edp/domain/connections/ConnectionsApi")).ConnectionsApi,
  customers: async () => (await import("@edp/domain/customers/CustomersApi")).CustomersApi,
  destinations: async () => (await import("@edp/domain/destinations/DestinationsApi")).DestinationsApi,
  deviceModels: async () => (await import("@edp/domain/device-models/DeviceModelsApi")).DeviceModelsApi,
  devices: async () => (await import("@edp/domain/devices/DevicesApi")).DevicesApi,
  directCommands: async () => (await import("@edp/domain/direct-integration/DirectCommandsApi")).DirectCommandsApi,
  directIntegration: async () =>
    (await import("@edp/domain/direct-integration/DirectIntegrationApi")).DirectIntegrationApi,
  dispatchReports: async () => (await import("@edp/domain/dispatches/DispatchReportsApi")).DispatchReportsApi,
  grid: async () => (await import("@edp/domain/grid/GridApi")).GridApi,
  dispatches: async () => (await import("@edp/domain/dispatches/DispatchesApi")).DispatchesApi,
  enrollments: async () => (await import("@edp/domain/enrollments/EnrollmentsApi")).EnrollmentsApi,
  events: async () => (await import("@edp/domain/events/EventsApi")).EventsApi,
  homeAssistantPublications: async () =>
    (await import("@edp/domain/home-assistant/HomeAssistantPublicationsApi")).HomeAssistantPublicationsApi,
  manufacturers: async () => (await import("@edp/domain/manufacturers/ManufacturersApi")).ManufacturersApi,
  metrics: async () => (await import("@edp/domain/metrics/MetricsApi")).MetricsApi,
  openAdr: async () => (await import("@edp/domain/openadr/OpenAdrApi")).OpenAdrApi,
  openAdrServer: async () => (await import("@edp/domain/dashboard/OpenAdrServerApi")).OpenAdrServerApi,
  organizations: async () => (await import("@edp/domain/organizations/OrganizationsApi")).OrganizationsApi,
  programReports: async () => (await import("@edp/domain/dispatches/ProgramReportsApi")).ProgramReportsApi,
  programInstances: async () => (await import("@edp/domain/programs/ProgramInstancesApi")).ProgramInstancesApi,
  products: async () => (await import("@edp/domain/products/ProductsApi")).ProductsApi,
  programs: async () => (await import("@edp/domain/programs/ProgramsApi")).ProgramsApi,
  schedules: async () => (await import("@edp/domain/schedules/SchedulesApi")).SchedulesApi,
  search: async () => (await import("@edp/domain/search/SearchApi")).SearchApi,
  sites: async () => (await import("@edp/domain/sites/SitesApi")).SitesApi,
  tags: async () => (await import("@edp/domain/tags/TagsApi")).TagsApi,
  workspaces: async () => (await import("@edp/domain/workspaces/WorkspacesApi")).WorkspacesApi,
  alertConfiguration: async () => (await import("@edp/domain/alerts/AlertsApi")).AlertConfigurationApi,
  connectFunnel: async () => (await import("@edp/domain/connections/ConnectionsApi")).ConnectFunnelApi,
  connectedAccounts: async () => (await import("@edp/domain/connections/ConnectionsApi")).ConnectedAccountsApi,
  destinationOverviews: async () =>
    (await import("@edp/domain/destinations/DestinationOverviewsApi")).DestinationOverviewsApi,
  simulator: async () => (await import("@edp/domain/accounts/SimulatorApi")).SimulatorApi,
  annotations: async () => (await import("@edp/domain/dashboard/AnnotationsApi")).AnnotationsApi,
  deviceConnections: async () => (await import("@edp/domain/dashboard/DeviceConnectionsApi")).DeviceConnectionsApi,
  followedSchedules: async () => (await import("@edp/domain/schedules/FollowedSchedulesApi")).FollowedSchedulesApi,
  listedAlerts: async () => (await import("@edp/domain/dashboard/ListedAlertsApi")).ListedAlertsApi,
  overview: async () => (await import("@edp/domain/dashboard/OverviewApi")).OverviewApi,
  fleet: async () => (await import("@edp/domain/dashboard/FleetApi")).FleetApi,
  health: async () => (await import("@edp/domain/dashboard/HealthApi")).HealthApi,
  names: async () => (await import("@edp/domain/dashboard/NamesApi")).NamesApi,
  savedFilters: async () => (await import("@edp/domain/dashboard/SavedFiltersApi")).SavedFiltersApi,
  sessions: async () => (await import("@edp/domain/dashboard/SessionsApi")).SessionsApi,
  signIn: async () => (await import("@edp/domain/dashboard/SessionsApi")).SignInApi,
  stream: async () => (await import("@edp/domain/dashboard/StreamApi")).StreamApi,
  workspaceMoves: async () => (await import("@edp/domain/moves/WorkspaceMovesApi")).WorkspaceMovesApi,
  readingPages: async () => (await import("@edp/domain/telemetry/ReadingPagesApi")).ReadingPagesApi,
  keptReadings: async () => (await import("@edp/domain/telemetry/KeptReadingsApi")).KeptReadingsApi,
  readingRetention: async () => (await import("@edp/domain/telemetry/ReadingRetentionApi")).ReadingRetentionApi
}

export type GroupName = keyof typeof groups
export const groupNames = Object.keys(groups) as ReadonlyArray<GroupName>

export const loadGroup = (name: GroupName): Effect.Effect<HttpApiGroup.Constraint> =>
  Effect.promise<HttpApiGroup.Constraint>(() => groups[name]())

/** A client of one group. */
export const makeGroupClient = Effect.fnUntraced(function* (name: GroupName, options: ClientOptions) {
  const api = withConventions(HttpApi.make("edp").add(yield* loadGroup(name)))
  const client = HttpApiClient.make(api, { baseUrl: options.baseUrl, transformResponse: asAnswered })
  const made = yield* Effect.provide(client as Effect.Effect<Record<string, unknown>>, authentication(options))
  return made[name] as Readonly<Record<string, unknown>>
})
