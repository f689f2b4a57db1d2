import { Layer } from "effect"
import { Alerts } from "./alerts/Alerts.ts"
import { AlertsRepository } from "./alerts/AlertsRepository.ts"
import { ApiKeys } from "./api-keys/ApiKeys.ts"
import { ApiKeysRepository } from "./api-keys/ApiKeysRepository.ts"
import { CatalogueLive } from "./device-models/Catalogue.ts"
import { DeviceModels } from "./device-models/DeviceModels.ts"
import { DeviceModelsRepository } from "./device-models/DeviceModelsRepository.ts"
import { DeviceHistory } from "./devices/DeviceHistory.ts"
import { DeviceHistoryRepository } from "./devices/DeviceHistoryRepository.ts"
import { DeviceListRepository } from "./devices/DeviceListRepository.ts"
import { DeviceLists } from "./devices/DeviceLists.ts"
import { Devices } from "./devices/Devices.ts"
import { DeviceSearchRepository } from "./devices/DeviceSearchRepository.ts"
import { DevicesRepository } from "./devices/DevicesRepository.ts"
import { DeviceTags } from "./devices/DeviceTags.ts"
import { ForgottenHistories } from "./devices/ForgottenHistories.ts"
import { BulkTelemetryPush } from "./direct-integration/BulkTelemetryPush.ts"
import { DirectDevices } from "./direct-integration/DirectDevices.ts"
import { DirectIntegrationRepository } from "./direct-integration/DirectIntegrationRepository.ts"
import { Provisioning } from "./direct-integration/Provisioning.ts"
import { TelemetryPush } from "./direct-integration/TelemetryPush.ts"
import { configuredGeocoder } from "./locations/configuredGeocoder.ts"
import { Manufacturers } from "./manufacturers/Manufacturers.ts"
import { ManufacturersRepository } from "./manufacturers/ManufacturersRepository.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { OrganizationsRepository } from "./organizations/OrganizationsRepository.ts"
import { Sites } from "./sites/Sites.ts"
import { SitesRepository } from "./sites/SitesRepository.ts"
import { TelemetryRepository } from "./telemetry/TelemetryRepository.ts"
import { TelemetryWriter } from "./telemetry/TelemetryWriter.ts"
import { Workspaces } from "./workspaces/Workspaces.ts"
import { WorkspacesRepository } from "./workspaces/WorkspacesRepository.ts"

const foundations = Layer.mergeAll(
  WorkspacesRepository.layer,
  OrganizationsRepository.layer,
  ApiKeysRepository.layer,
  ManufacturersRepository.layer,
  DeviceModelsRepository.layer,
  SitesRepository.layer,
  DeviceSearchRepository.layer.pipe(
    Layer.provideMerge(DeviceListRepository.layer),
    Layer.provideMerge(DevicesRepository.layer)
  ),
  DeviceHistoryRepository.layer,
  TelemetryRepository.layer,
  DirectIntegrationRepository.layer,
  AlertsRepository.layer,
  configuredGeocoder
)

const catalogue = CatalogueLive.pipe(Layer.provideMerge(Layer.mergeAll(Manufacturers.layer, DeviceModels.layer)))

const devices = Layer.mergeAll(Devices.layer, DeviceLists.layer, DeviceHistory.layer, DeviceTags.layer).pipe(
  Layer.provide(ForgottenHistories.layer)
)

const directIntegration = Layer.mergeAll(Provisioning.layer, TelemetryPush.layer, BulkTelemetryPush.layer).pipe(
  Layer.provide(DirectDevices.layer),
  Layer.provideMerge(TelemetryWriter.layer),
  Layer.provideMerge(devices)
)

/** The services of every slice over a database. */
export const Services = Layer.mergeAll(
  Organizations.layer,
  ApiKeys.layer,
  catalogue,
  Sites.layer,
  directIntegration,
  Alerts.layer
).pipe(Layer.provideMerge(Workspaces.layer), Layer.provideMerge(foundations))
