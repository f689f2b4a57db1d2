import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Page } from "../shared/Page.ts"
import { TagFilters, TagUse } from "./Tag.ts"

export class TagsApi extends HttpApiGroup.make("tags")
  .add(
    HttpApiEndpoint.get("list", "/v1/tags", {
      query: TagFilters,
      success: Page(TagUse),
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List tags",
        "The tags of the workspace's devices and sites, in the order of the alphabet without regard to case; tags that differ in case alone have the upper case first. A tag that nothing has any more is not listed."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Tags",
      description:
        "Labels by which devices and sites are grouped. They are set on the devices and sites themselves, and a tag is there as long as something has it."
    })
  ) {}
