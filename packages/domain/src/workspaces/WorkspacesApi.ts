import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DeletionProtectionEnabled, DuplicateName, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page, paging } from "../shared/Page.ts"
import { CreateWorkspace, UpdateWorkspace, Workspace } from "./Workspace.ts"

export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: paging(),
      success: Page(Workspace),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["SERVER", "API", "MANAGEMENT"],
        "List workspaces",
        "All workspaces of a MANAGEMENT key's organization; the key's own one for SERVER and API keys."
      )
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateWorkspace,
      success: Workspace.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, DuplicateName]
    }).annotateMerge(describe(["MANAGEMENT"], "Create a workspace", "The name is unique in the organization.")),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      success: Workspace,
      error: WorkspaceNotFound
    }).annotateMerge(
      describe(
        ["SERVER", "API", "MANAGEMENT"],
        "Get a workspace",
        "SERVER and API keys read their own workspace, MANAGEMENT keys any of their organization."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateWorkspace,
      success: Workspace,
      error: [ValidationError, WorkspaceNotFound, DuplicateName]
    }).annotateMerge(describe(["MANAGEMENT"], "Update a workspace", "An absent field stays as it is.")),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: { id: PathId },
      success: HttpApiSchema.NoContent,
      error: [WorkspaceNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Delete a workspace",
        "Deletes the workspace with everything in it: its keys stop working at once. DELETION_PROTECTION_ENABLED while its protection is on. The last live MANAGEMENT key of the organization keeps its workspace: that is DELETION_PROTECTION_ENABLED too."
      )
    )
  )
  .prefix("/v1/workspaces")
  .annotateMerge(
    OpenApi.annotations({
      title: "Workspaces",
      description:
        "A workspace holds sites, devices and alerts apart from those of every other workspace: a key of one never sees what is in another. Deletion protection keeps a workspace and its contents from being deleted by mistake."
    })
  ) {}
