import { Effect, Layer } from "effect"
import { ManagementKeys } from "../workspaces/Workspaces.ts"
import { ApiKeysRepository } from "./ApiKeysRepository.ts"

/** Implements the port of workspaces. */
export const ManagementKeysLive = Layer.effect(
  ManagementKeys,
  Effect.map(ApiKeysRepository, ({ lockManagementKeys }) => ({ lock: lockManagementKeys }))
)
