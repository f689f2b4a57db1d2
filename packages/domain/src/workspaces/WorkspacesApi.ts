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
        "A MANAGEMENT key lists all workspaces of its organization; SERVER and API keys list their own workspace."
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
        "SERVER and API keys can read their own workspace, MANAGEMENT keys every workspace of their organization."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateWorkspace,
      success: Workspace,
      error: [ValidationError, WorkspaceNotFound, DuplicateName]
    }).annotateMerge(describe(["MANAGEMENT"], "Update a workspace", "An absent field is unchanged.")),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: { id: PathId },
      success: HttpApiSchema.NoContent,
      error: [WorkspaceNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Delete a workspace",
        "Deletes the workspace and everything in it. Its keys stop working immediately. Returns DELETION_PROTECTION_ENABLED while deletion protection is on, and also for the workspace that holds the organization's last active MANAGEMENT key."
      )
    )
  )
  .prefix("/v1/workspaces")
  .annotateMerge(
    OpenApi.annotations({
      title: "Workspaces",
      description:
        "A workspace is an isolated set of sites, devices, customers and alerts: a key of one workspace can't see the records of another. Deletion protection keeps a workspace and its contents from being deleted by mistake."
    })
  ) {}
