import { Layer } from "effect"
import { AlertsHandlers } from "../alerts/AlertsHandlers.ts"
import { ApiKeysHandlers } from "../api-keys/ApiKeysHandlers.ts"
import { CollectionsHandlers } from "../collections/CollectionsHandlers.ts"
import { CustomersHandlers } from "../customers/CustomersHandlers.ts"
import { DeviceModelsHandlers } from "../device-models/DeviceModelsHandlers.ts"
import { DevicesHandlers } from "../devices/DevicesHandlers.ts"
import { DirectIntegrationHandlers } from "../direct-integration/DirectIntegrationHandlers.ts"
import { ManufacturersHandlers } from "../manufacturers/ManufacturersHandlers.ts"
import { OrganizationsHandlers } from "../organizations/OrganizationsHandlers.ts"
import { SitesHandlers } from "../sites/SitesHandlers.ts"
import { WorkspacesHandlers } from "../workspaces/WorkspacesHandlers.ts"

export const ApiHandlers = Layer.mergeAll(
  OrganizationsHandlers,
  WorkspacesHandlers,
  ApiKeysHandlers,
  ManufacturersHandlers,
  DeviceModelsHandlers,
  CustomersHandlers,
  SitesHandlers,
  DevicesHandlers,
  DirectIntegrationHandlers,
  AlertsHandlers,
  CollectionsHandlers
)
