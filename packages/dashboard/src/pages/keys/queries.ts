import { ApiKeysApi } from "@edp/domain/api-keys/ApiKeysApi"
import type { ApiKeyFilters } from "@edp/domain/api-keys/ApiKey"
import { withConventions } from "@edp/domain/auth/middleware"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import type { Schema } from "effect"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("keys").add(ApiKeysApi))

export class KeysClient extends AtomHttpApi.Service<KeysClient>()("KeysClient", { api, ...pageClient }) {}

export const API_KEYS = "api-keys"

export const keysQuery = (query: Schema.Struct.Type<typeof ApiKeyFilters>) =>
  KeysClient.query("apiKeys", "list", { query, reactivityKeys: keys(API_KEYS) })

export const keyQuery = (id: string) =>
  KeysClient.query("apiKeys", "get", { params: { id }, reactivityKeys: keys(API_KEYS) })
