import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { NeedsFreshSignIn, RateClassOf } from "../auth/middleware.ts"
import { DuplicateName, InvalidState, NotFound, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { integerFrom } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import {
  FinishedImport,
  FinishImport,
  ImportPart,
  ImportProgress,
  StartedExport,
  StartExport,
  StartImport,
  WorkspacePause
} from "./WorkspaceMove.ts"

const exports = "/dashboard/api/workspace-exports"
const imports = "/dashboard/api/workspace-imports"
const pauses = "/dashboard/api/workspace-pauses"
const params = { id: PathId }

export class WorkspaceMovesApi extends HttpApiGroup.make("workspaceMoves")
  .add(
    HttpApiEndpoint.post("startExport", exports, {
      payload: StartExport,
      success: StartedExport.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, WorkspaceNotFound, InvalidState]
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          ["MANAGEMENT"],
          "Export a workspace",
          "Writes an archive of the workspace as it is at this moment. INVALID_STATE while another one of the organization is being written."
        )
      ),
    HttpApiEndpoint.get("readExport", `${exports}/:id`, {
      params,
      query: { from: integerFrom(0, "The first byte; default 0") },
      success: StoredText(Number.MAX_SAFE_INTEGER).pipe(HttpApiSchema.asText({ contentType: "application/x-tar" })),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Read an archive",
        "The archive from a byte on, while it is written and afterwards, for a day. Its last entry is manifest.json."
      )
    ),
    HttpApiEndpoint.delete("removeExport", `${exports}/:id`, {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(describe(["MANAGEMENT"], "Remove an archive", "Deletes the archive from the service.")),
    HttpApiEndpoint.post("startImport", imports, {
      payload: StartImport,
      success: ImportProgress,
      error: [ValidationError, InvalidState, DuplicateName]
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          ["MANAGEMENT"],
          "Import a workspace",
          "Begins the import of an archive, or continues it. INVALID_STATE if the workspace exists, VALIDATION_ERROR if the passphrase does not fit."
        )
      ),
    HttpApiEndpoint.put("importPart", `${imports}/:id/parts`, {
      params,
      payload: ImportPart,
      success: ImportProgress,
      error: [ValidationError, NotFound, InvalidState, DuplicateName]
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(["MANAGEMENT"], "Store a part", "Stores the next part. A part that is stored already changes nothing.")
      ),
    HttpApiEndpoint.put("finishImport", `${imports}/:id/finish`, {
      params,
      payload: FinishImport,
      success: FinishedImport,
      error: [ValidationError, NotFound, InvalidState, DuplicateName]
    }).annotateMerge(
      describe(["MANAGEMENT"], "Finish an import", "Makes the workspace visible with everything in it, in one step.")
    ),
    HttpApiEndpoint.delete("cancelImport", `${imports}/:id`, {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, InvalidState]
    }).annotateMerge(describe(["MANAGEMENT"], "Cancel an import", "Removes everything that the import has stored.")),
    HttpApiEndpoint.put("pause", `${pauses}/:id`, { params, success: WorkspacePause, error: WorkspaceNotFound })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          ["MANAGEMENT"],
          "Pause a workspace",
          "Begins no more work outside the service for the workspace: no commands, deliveries and mails, and no calls to manufacturers. Requests are answered as before. Tells how much of the work that had begun is still running; repeat the request until it is 0."
        )
      ),
    HttpApiEndpoint.delete("resume", `${pauses}/:id`, {
      params,
      success: HttpApiSchema.NoContent,
      error: WorkspaceNotFound
    }).annotateMerge(
      describe(["MANAGEMENT"], "Resume a workspace", "Ends the pause. The work that waited is due at once.")
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Moves of workspaces", description: "Archives of workspaces, between installations" })
  ) {}
