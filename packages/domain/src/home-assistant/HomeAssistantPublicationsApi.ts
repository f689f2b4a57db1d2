import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ApiKeyType } from "../auth/ApiKeyType.ts"
import { describe } from "../auth/annotations.ts"
import { OfWorkspace } from "../destinations/Destination.ts"
import { InvalidState, NotFound, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CreateHomeAssistantPublication,
  HomeAssistantPublication,
  HomeAssistantPublicationFilters,
  UpdateHomeAssistantPublication
} from "./HomeAssistantPublication.ts"

const keys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "MANAGEMENT"]
const params = { id: PathId }
const path = "/v1/home-assistant-publications"

export class HomeAssistantPublicationsApi extends HttpApiGroup.make("homeAssistantPublications")
  .add(
    HttpApiEndpoint.get("list", path, {
      query: HomeAssistantPublicationFilters,
      success: Page(HomeAssistantPublication),
      error: [ValidationError, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "List Home Assistant publications", "Newest first.")),
    HttpApiEndpoint.post("create", path, {
      query: OfWorkspace,
      payload: CreateHomeAssistantPublication,
      success: HomeAssistantPublication.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Publish devices to Home Assistant",
        "The platform connects to the MQTT broker within seconds and publishes the devices by MQTT discovery; `status` and `failure` show the result. A workspace has at most 20 publications, and one for each broker and discovery prefix; otherwise the request is INVALID_STATE."
      )
    ),
    HttpApiEndpoint.get("get", `${path}/:id`, {
      params,
      query: OfWorkspace,
      success: HomeAssistantPublication,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "Get a Home Assistant publication", "Returns a publication of the workspace with its status.")
    ),
    HttpApiEndpoint.patch("update", `${path}/:id`, {
      params,
      query: OfWorkspace,
      payload: UpdateHomeAssistantPublication,
      success: HomeAssistantPublication,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Update a Home Assistant publication",
        "An absent field is unchanged. Devices that are no longer published disappear from Home Assistant; with another broker or prefix, all of them disappear at the former one, if it can be reached."
      )
    ),
    HttpApiEndpoint.delete("remove", `${path}/:id`, {
      params,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Delete a Home Assistant publication",
        "Its devices disappear from Home Assistant if the broker can be reached."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Home Assistant",
      description:
        "Publishes the devices of a workspace, or of a tag, to an MQTT broker as entities of Home Assistant, with their availability and, if wanted, controls that become commands."
    })
  ) {}
