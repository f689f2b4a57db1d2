import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { ManagementKeysLive, ApiKeys } from "./ApiKeys.ts"
import { ApiKeysHandlers } from "./ApiKeysHandlers.ts"
import { KeyAuthenticator } from "./KeyAuthenticator.ts"

/** Issues and manages keys. */
export const services = ApiKeys.layer.pipe(Layer.provide([audit.layer, workspaces.layer]))

/** Authenticates every request. */
export const layer = KeyAuthenticator.layer

/** The implementation of the port of workspaces. */
export const ports = ManagementKeysLive

export const handlers = ApiKeysHandlers.pipe(Layer.provide(services))
