import type { ApiKeyStatus } from "@edp/domain/api-keys/ApiKey"
import { ApiKeysApi } from "@edp/domain/api-keys/ApiKeysApi"
import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { withConventions } from "@edp/domain/auth/middleware"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("apiKeys").add(ApiKeysApi))

export class ApiKeysClient extends AtomHttpApi.Service<ApiKeysClient>()("ApiKeysClient", { api, ...pageClient }) {}

/** The queries that a key changes. */
export const apiKeysChanged = ["api-keys"]

interface ApiKeySearch {
  readonly page?: number | undefined
  readonly type?: ApiKeyType | undefined
  readonly status?: ApiKeyStatus | undefined
  readonly workspaceId?: string | undefined
}

/** Keys that people make. The connect flow issues a SCOPED key for each end user. */
const madeTypes = apiKeyTypes.filter((type) => type !== "SCOPED")

/** Without a type, the keys that people made. */
export const apiKeysQuery = ({ page = 1, type, status, workspaceId }: ApiKeySearch) =>
  ApiKeysClient.query("apiKeys", "list", {
    query: given({
      page,
      perPage: 25,
      type: listed(type) ?? madeTypes,
      status: listed(status),
      workspaceId: listed(workspaceId)
    }),
    reactivityKeys: keys("api-keys")
  })

export const apiKeyQuery = (id: string) =>
  ApiKeysClient.query("apiKeys", "get", { params: { id }, reactivityKeys: keys("api-keys") })
