import { HttpApi, OpenApi } from "effect/http-api"
import { AlertsApi } from "./alerts/AlertsApi.ts"
import { ApiKeysApi } from "./api-keys/ApiKeysApi.ts"
import { AuditLogsApi } from "./audit/AuditLogsApi.ts"
import { BatchCommandsApi } from "./commands/BatchCommandsApi.ts"
import { CollectionsApi } from "./collections/CollectionsApi.ts"
import { CommandsApi } from "./commands/CommandsApi.ts"
import { ConnectionsApi } from "./connections/ConnectionsApi.ts"
import { withConventions } from "./auth/middleware.ts"
import { CustomersApi } from "./customers/CustomersApi.ts"
import { DeviceModelsApi } from "./device-models/DeviceModelsApi.ts"
import { DevicesApi } from "./devices/DevicesApi.ts"
import { DispatchesApi } from "./dispatches/DispatchesApi.ts"
import { DispatchReportsApi } from "./dispatches/DispatchReportsApi.ts"
import { DirectCommandsApi } from "./direct-integration/DirectCommandsApi.ts"
import { DirectIntegrationApi } from "./direct-integration/DirectIntegrationApi.ts"
import { DestinationsApi } from "./destinations/DestinationsApi.ts"
import { EnrollmentsApi } from "./enrollments/EnrollmentsApi.ts"
import { EventsApi } from "./events/EventsApi.ts"
import { GridApi } from "./grid/GridApi.ts"
import { HomeAssistantPublicationsApi } from "./home-assistant/HomeAssistantPublicationsApi.ts"
import { ManufacturersApi } from "./manufacturers/ManufacturersApi.ts"
import { MetricsApi } from "./metrics/MetricsApi.ts"
import { polishOpenApi } from "./openapi/polishOpenApi.ts"
import { overview } from "./openapi/overview.ts"
import { OpenAdrApi } from "./openadr/OpenAdrApi.ts"
import { OrganizationsApi } from "./organizations/OrganizationsApi.ts"
import { ProductsApi } from "./products/ProductsApi.ts"
import { ProgramReportsApi } from "./dispatches/ProgramReportsApi.ts"
import { ProgramInstancesApi } from "./programs/ProgramInstancesApi.ts"
import { ProgramsApi } from "./programs/ProgramsApi.ts"
import { SchedulesApi } from "./schedules/SchedulesApi.ts"
import { SearchApi } from "./search/SearchApi.ts"
import { SitesApi } from "./sites/SitesApi.ts"
import { TagsApi } from "./tags/TagsApi.ts"
import { WorkspacesApi } from "./workspaces/WorkspacesApi.ts"

const groups = [
  OrganizationsApi,
  WorkspacesApi,
  ApiKeysApi,
  AuditLogsApi,
  ManufacturersApi,
  DeviceModelsApi,
  ProductsApi,
  CustomersApi,
  SitesApi,
  DevicesApi,
  TagsApi,
  SearchApi,
  DirectIntegrationApi,
  DirectCommandsApi,
  AlertsApi,
  MetricsApi,
  CollectionsApi,
  EventsApi,
  DestinationsApi,
  HomeAssistantPublicationsApi,
  ConnectionsApi,
  CommandsApi,
  BatchCommandsApi,
  SchedulesApi,
  ProgramsApi,
  ProgramInstancesApi,
  EnrollmentsApi,
  DispatchesApi,
  DispatchReportsApi,
  ProgramReportsApi,
  GridApi,
  OpenAdrApi
] as const

type Groups = (typeof groups)[number]

/** The contract. Its type is named: written out, it is longer than what the compiler puts into a declaration. */
type Endpoints = ReturnType<typeof withConventions<"edp", Groups>>

const endpoints: Endpoints = withConventions(HttpApi.make("edp").add(...groups))

const documented: Endpoints = endpoints
  .annotate(OpenApi.Transform, (spec) => polishOpenApi(spec, endpoints as never))
  .annotateMerge(
    OpenApi.annotations({
      title: "Energy Device Platform",
      version: "2.0.0",
      description: overview,
      license: { name: "MIT", identifier: "MIT" } as never,
      servers: [
        {
          url: "/",
          description: "The platform that serves this document, be it local, staging or production",
          "x-internal": false
        } as never
      ]
    })
  )

export class Api extends documented {}
