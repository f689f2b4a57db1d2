import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import { CollectionNotFound, InvalidState, NotFound, SiteNotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { BatchCommand, BatchFilters, CreateBatchCommand } from "./BatchCommand.ts"

const params = { id: PathId }

export class BatchCommandsApi extends HttpApiGroup.make("batchCommands")
  .add(
    HttpApiEndpoint.post("create", "/v1/batch-commands", {
      payload: CreateBatchCommand,
      success: BatchCommand.pipe(HttpApiSchema.status(202)),
      error: [ValidationError, CollectionNotFound, SiteNotFound]
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Send a command to many devices",
          "Stores a command for each selected device; devices that can't execute it are skipped and listed. List the commands with `GET /v1/commands?batchId=…`. At most 50,000 devices; a larger selection is VALIDATION_ERROR. `maxPerMinute` spreads the commands evenly, and each expires 15 minutes after its own turn unless `expiresAt` is given."
        )
      ),
    HttpApiEndpoint.get("list", "/v1/batch-commands", {
      query: BatchFilters,
      success: Page(BatchCommand),
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(describe(workspaceKeys, "List batches", "Newest first.")),
    HttpApiEndpoint.get("get", "/v1/batch-commands/:id", {
      params,
      success: BatchCommand,
      error: NotFound
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(describe(workspaceKeys, "Get a batch", "With the number of commands by status and by reason.")),
    HttpApiEndpoint.post("cancel", "/v1/batch-commands/:id/cancel", {
      params,
      success: BatchCommand,
      error: [NotFound, InvalidState]
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Cancel a batch",
          "Its undelivered commands fail with the reason `cancelled`; those being sent go on. INVALID_STATE if the batch has ended."
        )
      ),
    HttpApiEndpoint.post("retryFailed", "/v1/batch-commands/:id/retry-failed", {
      params,
      success: BatchCommand.pipe(HttpApiSchema.status(202)),
      error: [NotFound, InvalidState, ValidationError]
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Retry the failed commands of a batch",
          "Stores a new batch for the devices whose command failed, except those that were overridden, with the same type, input, `revertAfter`, `maxPerMinute` and `abortWhen`; it begins at once. INVALID_STATE while the batch has not ended, and if nothing failed."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Batch commands",
      description: "The same command for many devices, with its progress."
    })
  ) {}
