import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { Organizations } from "./Organizations.ts"
import { OrganizationsHandlers, WorkspacesHandlers } from "./WorkspacesHandlers.ts"
import { OrganizationsRepository, WorkspacesRepository } from "./WorkspacesRepository.ts"
import { Workspaces } from "./Workspaces.ts"

export const layer = Layer.merge(Organizations.layer, Workspaces.layer).pipe(
  Layer.provide([OrganizationsRepository.layer, WorkspacesRepository.layer, audit.layer])
)

export const handlers = Layer.merge(OrganizationsHandlers, WorkspacesHandlers).pipe(Layer.provide(layer))
