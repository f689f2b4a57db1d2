import { Layer } from "effect"
import { AlertsHandlers } from "../alerts/AlertsHandlers.ts"
import { ApiKeysHandlers } from "../api-keys/ApiKeysHandlers.ts"
import { AuditLogsHandlers } from "../audit/AuditLogsHandlers.ts"
import { CollectionsHandlers } from "../collections/CollectionsHandlers.ts"
import { CustomersHandlers } from "../customers/CustomersHandlers.ts"
import { DeviceModelsHandlers } from "../device-models/DeviceModelsHandlers.ts"
import { DestinationsHandlers } from "../destinations/DestinationsHandlers.ts"
import { DevicesHandlers } from "../devices/DevicesHandlers.ts"
import { DirectIntegrationHandlers } from "../readings/ingest/DirectIntegrationHandlers.ts"
import { EventsHandlers } from "../events/EventsHandlers.ts"
import { ManufacturersHandlers } from "../manufacturers/ManufacturersHandlers.ts"
import { MetricsHandlers } from "../metrics/MetricsHandlers.ts"
import { OrganizationsHandlers } from "../workspaces/OrganizationsHandlers.ts"
import { SitesHandlers } from "../sites/SitesHandlers.ts"
import { TagsHandlers } from "../devices/TagsHandlers.ts"
import { WorkspacesHandlers } from "../workspaces/WorkspacesHandlers.ts"

export const ApiHandlers = Layer.mergeAll(
  OrganizationsHandlers,
  WorkspacesHandlers,
  ApiKeysHandlers,
  AuditLogsHandlers,
  ManufacturersHandlers,
  DeviceModelsHandlers,
  CustomersHandlers,
  SitesHandlers,
  DevicesHandlers,
  TagsHandlers,
  DirectIntegrationHandlers,
  AlertsHandlers,
  MetricsHandlers,
  CollectionsHandlers,
  EventsHandlers,
  DestinationsHandlers
)
