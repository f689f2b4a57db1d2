import { Layer } from "effect"
import { ApiKeys } from "./api-keys/ApiKeys.ts"
import { ApiKeysRepository } from "./api-keys/ApiKeysRepository.ts"
import { Workspaces } from "./workspaces/Workspaces.ts"
import { WorkspacesRepository } from "./workspaces/WorkspacesRepository.ts"

const foundations = Layer.mergeAll(WorkspacesRepository.layer, ApiKeysRepository.layer)

/** The services of every slice over a database. */
export const Services = ApiKeys.layer.pipe(
  Layer.provideMerge(Workspaces.layer),
  Layer.provideMerge(foundations)
)
