import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { Organizations } from "./Organizations.ts"
import { OrganizationsHandlers } from "./OrganizationsHandlers.ts"
import { OrganizationsRepository } from "./OrganizationsRepository.ts"
import { Workspaces } from "./Workspaces.ts"
import { WorkspacesHandlers } from "./WorkspacesHandlers.ts"
import { WorkspacesRepository } from "./WorkspacesRepository.ts"

export const layer = Layer.merge(Organizations.layer, Workspaces.layer).pipe(
  Layer.provide([OrganizationsRepository.layer, WorkspacesRepository.layer, audit.layer])
)

export const handlers = Layer.merge(OrganizationsHandlers, WorkspacesHandlers).pipe(Layer.provide(layer))
