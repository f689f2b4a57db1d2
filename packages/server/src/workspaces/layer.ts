import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { Organizations } from "./Organizations.ts"
import { OrganizationsHandlers, WorkspacesHandlers } from "./WorkspacesHandlers.ts"
import { Workspaces } from "./Workspaces.ts"

export const layer = Layer.merge(Organizations.layer, Workspaces.layer).pipe(Layer.provide(audit.layer))

export const handlers = Layer.merge(OrganizationsHandlers, WorkspacesHandlers).pipe(Layer.provide(layer))
