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
        "The tags of the workspace's devices and sites in alphabetical order, case-insensitive; of tags that differ only in case, upper case comes first. A tag that no device or site has any more is not listed."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Tags",
      description:
        "Labels for grouping devices and sites. They are set on the devices and sites; a tag exists as long as a device or site has it."
    })
  ) {}
