import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page, paging } from "../shared/Page.ts"
import { Organization, UpdateOrganization } from "./Organization.ts"

export class OrganizationsApi extends HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: paging(),
      success: Page(Organization),
      error: ValidationError
    }).annotateMerge(
      describe(["MANAGEMENT"], "List organizations", "The organization of the key, as a page with one record.")
    ),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      success: Organization,
      error: NotFound
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get an organization",
        "The organization of the key. The id of any other organization is NOT_FOUND."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateOrganization,
      success: Organization,
      error: [NotFound, ValidationError]
    }).annotateMerge(describe(["MANAGEMENT"], "Rename an organization", "An absent field is unchanged."))
  )
  .prefix("/v1/organizations")
  .annotateMerge(
    OpenApi.annotations({
      title: "Organizations",
      description:
        "An organization is a company that runs one or more workspaces. A MANAGEMENT key acts on its whole organization and on no other."
    })
  ) {}
