import { Layer } from "effect"
import { Alerts } from "./alerts/Alerts.ts"
import { AlertsRepository } from "./alerts/AlertsRepository.ts"
import { ApiKeys } from "./api-keys/ApiKeys.ts"
import { ApiKeysRepository } from "./api-keys/ApiKeysRepository.ts"
import { configuredGeocoder } from "./locations/configuredGeocoder.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { OrganizationsRepository } from "./organizations/OrganizationsRepository.ts"
import { Sites } from "./sites/Sites.ts"
import { SitesRepository } from "./sites/SitesRepository.ts"
import { Workspaces } from "./workspaces/Workspaces.ts"
import { WorkspacesRepository } from "./workspaces/WorkspacesRepository.ts"

const foundations = Layer.mergeAll(
  WorkspacesRepository.layer,
  OrganizationsRepository.layer,
  ApiKeysRepository.layer,
  SitesRepository.layer,
  AlertsRepository.layer,
  configuredGeocoder
)

/** The services of every slice over a database. */
export const Services = Layer.mergeAll(Organizations.layer, ApiKeys.layer, Sites.layer, Alerts.layer).pipe(
  Layer.provideMerge(Workspaces.layer),
  Layer.provideMerge(foundations)
)
