import { HttpApi, OpenApi } from "effect/http-api"
import { AlertsApi } from "./alerts/AlertsApi.ts"
import { ApiKeysApi } from "./api-keys/ApiKeysApi.ts"
import { AuditLogsApi } from "./audit/AuditLogsApi.ts"
import { Authentication } from "./auth/Authentication.ts"
import { ConditionalRead } from "./auth/ConditionalRead.ts"
import { Deprecation } from "./auth/Deprecation.ts"
import { Idempotency } from "./auth/Idempotency.ts"
import { RateLimit } from "./auth/RateLimit.ts"
import { RequestBody, ServiceErrors } from "./auth/RequestBody.ts"
import { CollectionsApi } from "./collections/CollectionsApi.ts"
import { CustomersApi } from "./customers/CustomersApi.ts"
import { DeviceModelsApi } from "./device-models/DeviceModelsApi.ts"
import { DevicesApi } from "./devices/DevicesApi.ts"
import { DirectIntegrationApi } from "./direct-integration/DirectIntegrationApi.ts"
import { DestinationsApi } from "./destinations/DestinationsApi.ts"
import { EventsApi } from "./events/EventsApi.ts"
import { ManufacturersApi } from "./manufacturers/ManufacturersApi.ts"
import { MetricsApi } from "./metrics/MetricsApi.ts"
import { polishOpenApi } from "./openapi/polishOpenApi.ts"
import { overview } from "./openapi/overview.ts"
import { OrganizationsApi } from "./organizations/OrganizationsApi.ts"
import { SitesApi } from "./sites/SitesApi.ts"
import { TagsApi } from "./tags/TagsApi.ts"
import { WorkspacesApi } from "./workspaces/WorkspacesApi.ts"

/**
 * The contract. The last middleware is the outermost: who calls, then the rate limit, then whether the request was
 * answered before, then the body, so that a bad key is told before a spent limit and a spent limit before a bad request.
 */
const endpoints = HttpApi.make("edp")
  .add(OrganizationsApi)
  .add(WorkspacesApi)
  .add(ApiKeysApi)
  .add(AuditLogsApi)
  .add(ManufacturersApi)
  .add(DeviceModelsApi)
  .add(CustomersApi)
  .add(SitesApi)
  .add(DevicesApi)
  .add(TagsApi)
  .add(DirectIntegrationApi)
  .add(AlertsApi)
  .add(MetricsApi)
  .add(CollectionsApi)
  .add(EventsApi)
  .add(DestinationsApi)
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

export class Api extends endpoints
  .annotate(OpenApi.Transform, (spec) => polishOpenApi(spec, endpoints as never))
  .annotateMerge(
    OpenApi.annotations({
      title: "Energy Device Platform",
      version: "1.0.0",
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
  ) {}
