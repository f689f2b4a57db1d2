import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { ApiKeyType } from "./ApiKeyType.ts"

/** Endpoint annotation: the key types that may call it. The default is none, so that a missing annotation grants no access. */
export class AllowedKeyTypes extends Context.Reference<ReadonlyArray<ApiKeyType>>("@edp/domain/AllowedKeyTypes", {
  defaultValue: () => []
}) {}

/** The keys of a workspace's own back end. */
export const workspaceKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API"]

/** Keys that read devices: the workspace's, and a connected user's for their own devices. */
export const deviceReadKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "SCOPED"]

/** All keys except SCOPED can read the catalogue. */
export const catalogueKeys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "CONNECT", "MANUFACTURER", "MANAGEMENT"]

/** The annotations of every endpoint: the allowed key types, and its summary and description in the reference. */
export const describe = (
  allowed: ReadonlyArray<ApiKeyType>,
  summary: string,
  description: string
): Context.Context<never> =>
  Context.merge(Context.make(AllowedKeyTypes, allowed), OpenApi.annotations({ summary, description }))

/**
 * Endpoint annotation: pages of other origins may call it. They may call every GET under `/v1` anyway; the writes of key
 * types that browsers use are annotated.
 */
export class BrowserCallable extends Context.Reference<boolean>("@edp/domain/BrowserCallable", {
  defaultValue: () => false
}) {}

/** Endpoint annotation: a POST that computes a response from its body and changes nothing. */
export class WritesNothing extends Context.Reference<boolean>("@edp/domain/WritesNothing", {
  defaultValue: () => false
}) {}

/**
 * Endpoint annotation: the body is required although none of its fields is. Elsewhere an absent body counts as `{}` if that
 * is a valid body.
 */
export class NeedsBody extends Context.Reference<boolean>("@edp/domain/NeedsBody", {
  defaultValue: () => false
}) {}
