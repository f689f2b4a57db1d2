import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { AnswersSecret } from "../auth/middleware.ts"
import { ApiKeyNotFound, InvalidState, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { ApiKey, ApiKeyCreated, ApiKeyFilters, CreateApiKey, Revoked, UpdateApiKey } from "./ApiKey.ts"

const management = ["MANAGEMENT"] as const

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: ApiKeyFilters,
      success: Page(ApiKey),
      error: ValidationError
    }).annotateMerge(
      describe(management, "List API keys", "Lists the keys of all workspaces of the organization, newest first.")
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateApiKey,
      success: ApiKeyCreated.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, WorkspaceNotFound]
    })
      .annotate(AnswersSecret, true)
      .annotateMerge(
        describe(
          management,
          "Create an API key",
          "The full key appears in this response only. The response is not stored, so an `Idempotency-Key` is `VALIDATION_ERROR`. To rotate a key without downtime, create its replacement, deploy and verify it, then revoke the old key."
        )
      ),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      success: ApiKey,
      error: ApiKeyNotFound
    }).annotateMerge(
      describe(management, "Get an API key", "Returns the first 12 characters of the key, never the full value.")
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateApiKey,
      success: ApiKey,
      error: [ValidationError, ApiKeyNotFound]
    }).annotateMerge(
      describe(
        management,
        "Update an API key",
        "Changes the name or the rate limits. Limits are merged (RFC 7396): an absent class keeps its limit, null resets it to the default."
      )
    ),
    HttpApiEndpoint.post("revoke", "/:id/revoke", {
      params: { id: PathId },
      success: Revoked,
      error: [ApiKeyNotFound, InvalidState]
    }).annotateMerge(
      describe(
        management,
        "Revoke an API key",
        "Irreversible and immediate: the next request with the key is UNAUTHENTICATED on every instance. Revoking a revoked key has no effect. The last active MANAGEMENT key of an organization can't be revoked: INVALID_STATE."
      )
    )
  )
  .prefix("/v1/api-keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "API keys",
      description:
        "The keys of all workspaces of the organization. The full value of a key is returned once, when it is created. A revoked key stops working with the next request. To rotate a key without downtime, create its replacement, deploy and verify it, then revoke the old key."
    })
  ) {}
