import { Context } from "effect"
import type { ApiKeyType } from "./ApiKeyType.ts"

/** Endpoint annotation: the key types that may call it. Without it nobody may, so that forgetting it opens nothing. */
export class AllowedKeyTypes extends Context.Reference<ReadonlyArray<ApiKeyType>>("@edp/domain/AllowedKeyTypes", {
  defaultValue: () => []
}) {}

/** The keys of a workspace's own back end. */
export const workspaceKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API"]

/** Keys that read devices: the workspace's, and a connected user's for their own devices. */
export const deviceReadKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "SCOPED"]

/** Everybody but scoped keys reads the catalogue. */
export const catalogueKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "CONNECT", "MANUFACTURER", "MANAGEMENT"]
