import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { DuplicateName, InvalidState, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { SubscriptionFilters, SubscriptionState } from "./OpenAdrSubscriptions.ts"
import { FollowingVen, OpenAdrFilters, OpenAdrPublication, PublishToOpenAdr, VenReport } from "./OpenAdrPublication.ts"

const params = { id: PathId }

export class OpenAdrApi extends HttpApiGroup.make("openAdr")
  .add(
    HttpApiEndpoint.get("publication", "/v1/programInstances/:id/openadr-publication", {
      params,
      success: OpenAdrPublication,
      error: NotFound
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get a publication",
        "An instance that is not published is NOT_FOUND, like an unknown one."
      )
    ),
    HttpApiEndpoint.put("publish", "/v1/programInstances/:id/openadr-publication", {
      params,
      payload: PublishToOpenAdr,
      success: OpenAdrPublication,
      error: [ValidationError, NotFound, DuplicateName]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Publish a program instance",
        "The instance becomes a program of the workspace's OpenADR 3.1 server, and each announced dispatch that has not ended an event: within seconds, updated with the dispatch and deleted when it is cancelled. Publishing again replaces name, targets and signal."
      )
    ),
    HttpApiEndpoint.delete("unpublish", "/v1/programInstances/:id/openadr-publication", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "End a publication",
        "Deletes the program and the events of its dispatches from the OpenADR server. Reports on them stay. A program with events that a client has added is INVALID_STATE."
      )
    ),
    HttpApiEndpoint.get("dispatchReports", "/v1/dispatches/:id/ven-reports", {
      params,
      query: OpenAdrFilters,
      success: Page(VenReport),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List the reports of VENs on a dispatch",
        "Newest first. They are the VENs' own statements, and count in no report of the platform."
      )
    ),
    HttpApiEndpoint.get("vens", "/v1/openadr/vens", {
      query: OpenAdrFilters,
      success: Page(FollowingVen),
      error: ValidationError
    }).annotateMerge(describe(workspaceKeys, "List VENs", "The VENs of the workspace's OpenADR server, newest first.")),
    HttpApiEndpoint.get("reports", "/v1/openadr/reports", {
      query: OpenAdrFilters,
      success: Page(VenReport),
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List the reports of VENs",
        "All reports at the workspace's OpenADR server, newest first."
      )
    ),
    HttpApiEndpoint.get("subscriptions", "/v1/openadr/subscriptions", {
      query: SubscriptionFilters,
      success: Page(SubscriptionState),
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List subscriptions",
        "The subscriptions at the workspace's OpenADR server, newest first, with the state of each callback: since when it fails, the last error, and whether it is broken."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "OpenADR server",
      description:
        "Programs and dispatches that VENs of others follow. The server itself is at `/openadr3/3.1.0`, with the paths of OpenADR 3.1."
    })
  ) {}
