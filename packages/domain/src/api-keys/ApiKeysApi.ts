import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { ReturnsSecret, NeedsFreshSignIn } from "../auth/middleware.ts"
import { ApiKeyNotFound, InvalidState, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  ApiKey,
  ApiKeyCreated,
  ApiKeyFilters,
  ApiKeyRotated,
  CreateApiKey,
  RevokeApiKey,
  Revoked,
  RotateApiKey,
  UpdateApiKey
} from "./ApiKey.ts"

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
      .annotate(ReturnsSecret, true)
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
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          management,
          "Update an API key",
          "Changes the name or the rate limits. Limits are merged (RFC 7396): an absent class keeps its limit, null resets it to the default."
        )
      ),
    HttpApiEndpoint.post("rotate", "/:id/rotate", {
      params: { id: PathId },
      payload: RotateApiKey,
      success: ApiKeyRotated,
      error: [ValidationError, ApiKeyNotFound, InvalidState]
    })
      .annotate(ReturnsSecret, true)
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          management,
          "Rotate an API key",
          "Gives the key a new secret under the same id, which appears in this response only. The former secret works, too, for a day or for `previousValidSeconds`; a secret from an earlier rotation ends at once. This is how the secret of an OpenADR client changes, since the id of its key is the `client_id`. SCOPED, revoked and expired keys are INVALID_STATE."
        )
      ),
    HttpApiEndpoint.post("revoke", "/:id/revoke", {
      params: { id: PathId },
      payload: RevokeApiKey,
      success: Revoked,
      error: [ValidationError, ApiKeyNotFound, InvalidState]
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          management,
          "Revoke an API key",
          'Irreversible and immediate: the next request with the key is UNAUTHENTICATED on every instance. With a MANAGEMENT key end the dashboard\'s sessions of the key and, unless the body says `"made": "keep"`, the keys that these sessions made; keys that were made with the key itself stay. Revoking a revoked key has no further effect. The last active MANAGEMENT key of an organization can\'t be revoked: INVALID_STATE.'
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
