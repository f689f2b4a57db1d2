import { Context } from "effect"
import { OpenApi } from "effect/http-api"
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

/** What every endpoint states: who may call it, and its line and paragraph in the reference. */
export const describe = (
  allowed: ReadonlyArray<ApiKeyType>,
  summary: string,
  description: string
): Context.Context<never> =>
  Context.merge(Context.make(AllowedKeyTypes, allowed), OpenApi.annotations({ summary, description }))

/**
 * Endpoint annotation: browsers of other origins may call it. Every GET under `/v1` may be called without it; what keys
 * that are shown to browsers write is annotated.
 */
export class BrowserCallable extends Context.Reference<boolean>("@edp/domain/BrowserCallable", {
  defaultValue: () => false
}) {}

/**
 * Endpoint annotation: a request without a body is refused although no field is required by itself. Elsewhere an absent
 * body counts as `{}` wherever that is a right body.
 */
export class NeedsBody extends Context.Reference<boolean>("@edp/domain/NeedsBody", {
  defaultValue: () => false
}) {}
