import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { DuplicateName, InvalidState, InvalidStatus, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CreateProgramInstance,
  ProgramInstance,
  ProgramInstanceFilters,
  UpdateProgramInstance
} from "./ProgramInstance.ts"

const params = { id: PathId }

export class ProgramInstancesApi extends HttpApiGroup.make("programInstances")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: ProgramInstanceFilters,
      success: Page(ProgramInstance),
      error: ValidationError
    }).annotateMerge(describe(workspaceKeys, "List program instances", "Instances of the workspace, newest first.")),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateProgramInstance,
      success: ProgramInstance.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, DuplicateName]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a program instance",
        "Runs a program in the workspace, with its own title and terms."
      )
    ),
    HttpApiEndpoint.get("get", "/:id", {
      params,
      success: ProgramInstance,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Get a program instance", "Returns an instance of the workspace.")),
    HttpApiEndpoint.patch("update", "/:id", {
      params,
      payload: UpdateProgramInstance,
      success: ProgramInstance,
      error: [ValidationError, InvalidStatus, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a program instance",
        "An absent field is unchanged; `enrollmentPeriods` are replaced as a whole, the fields of `customFields` are merged. New `programTerms` raise `termsVersion`; enrollments keep the version that was accepted. An archived instance keeps its status: another one is INVALID_STATUS."
      )
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Delete a program instance",
        "An instance with enrollments or dispatches is INVALID_STATE: archive it instead."
      )
    )
  )
  .prefix("/v1/programInstances")
  .annotateMerge(
    OpenApi.annotations({
      title: "Program instances",
      description:
        "Programs as a workspace runs them: with a title, terms and deadlines, a hosted enrollment page, enrollments and dispatches."
    })
  ) {}
