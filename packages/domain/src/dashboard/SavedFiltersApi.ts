import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DuplicateName, InvalidState, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page, paging } from "../shared/Page.ts"
import { CreateSavedFilter, SAVED_FILTERS_LIMIT, SavedFilter, UpdateSavedFilter } from "./SavedFilter.ts"

const path = "/dashboard/api/saved-filters"
const params = { id: PathId }

export class SavedFiltersApi extends HttpApiGroup.make("savedFilters")
  .add(
    HttpApiEndpoint.get("list", path, {
      query: paging(),
      success: Page(SavedFilter),
      error: ValidationError
    }).annotateMerge(
      describe(["MANAGEMENT"], "List saved filters", "The saved filters of the workspace, sorted by name.")
    ),
    HttpApiEndpoint.post("create", path, {
      payload: CreateSavedFilter,
      success: SavedFilter.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, DuplicateName, InvalidState]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Save a filter",
        `Saves it for everyone in the workspace. A workspace has at most ${SAVED_FILTERS_LIMIT}; one more is INVALID_STATE.`
      )
    ),
    HttpApiEndpoint.get("get", `${path}/:id`, {
      params,
      success: SavedFilter,
      error: NotFound
    }).annotateMerge(describe(["MANAGEMENT"], "Get a saved filter", "A saved filter of the workspace.")),
    HttpApiEndpoint.patch("update", `${path}/:id`, {
      params,
      payload: UpdateSavedFilter,
      success: SavedFilter,
      error: [ValidationError, NotFound, DuplicateName]
    }).annotateMerge(describe(["MANAGEMENT"], "Change a saved filter", "An absent field is unchanged.")),
    HttpApiEndpoint.delete("remove", `${path}/:id`, {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(describe(["MANAGEMENT"], "Delete a saved filter", "Deletes it for everyone in the workspace."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Saved filters",
      description: "Named filters of the dashboard's pages, shared by everyone in the workspace."
    })
  ) {}
