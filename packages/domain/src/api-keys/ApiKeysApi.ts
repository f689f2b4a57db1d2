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
      describe(management, "List API keys", "Keys of all workspaces of the organization, newest first.")
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
          "The answer is the only one that shows the full key, so it is not kept to be repeated: an `Idempotency-Key` is `VALIDATION_ERROR`. To rotate a key without downtime: create its replacement, deploy and verify it, then revoke the old one."
        )
      ),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      success: ApiKey,
      error: ApiKeyNotFound
    }).annotateMerge(
      describe(management, "Get an API key", "Shows the first 12 characters of the key, never the whole.")
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
        "Changes the name or the limits. Limits are merged (RFC 7396): a class that is left out stays, null returns it to the default."
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
        "Irreversible and at once: the next request with the key is UNAUTHENTICATED on every instance. Revoking it again changes nothing. The last live MANAGEMENT key of an organization can't be revoked: INVALID_STATE."
      )
    )
  )
  .prefix("/v1/api-keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "API keys",
      description:
        "The keys of all workspaces of the organization. A key's full value is shown once, when it is made; a revoked key stops working with the next request. Rotate a key without downtime by making its replacement, deploying and verifying that, and then revoking the old one."
    })
  ) {}
