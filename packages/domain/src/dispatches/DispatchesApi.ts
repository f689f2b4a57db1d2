import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys, WritesNothing } from "../auth/annotations.ts"
import { InvalidState, NotFound, SiteNotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CancelDispatch,
  CreateDispatch,
  Dispatch,
  DispatchFilters,
  Participant,
  ParticipantFilters,
  UpdateDispatch
} from "./Dispatch.ts"
import { DispatchPreview } from "./DispatchPreview.ts"

const params = { id: PathId }

export class DispatchesApi extends HttpApiGroup.make("dispatches")
  .add(
    HttpApiEndpoint.get("list", "/v1/programInstances/:id/dispatches", {
      params,
      query: DispatchFilters,
      success: Page(Dispatch),
      error: [ValidationError, NotFound]
    }).annotateMerge(describe(workspaceKeys, "List dispatches", "Dispatches of the instance, newest first.")),
    HttpApiEndpoint.post("create", "/v1/programInstances/:id/dispatches", {
      params,
      payload: CreateDispatch,
      success: Dispatch.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a dispatch",
        "A scheduled dispatch is announced to the enrolled sites at once, as participants. At its start the enrolled sites and their devices are determined anew and the commands of the first interval are issued, with events as every command has; each mode ends by itself with its interval, and the settings from before are restored. An action is validated as the input of the type's set-operating-mode command: `details` names the field, such as `intervals.0.actions.battery.operatingMode`. An archived instance is INVALID_STATE."
      )
    ),
    HttpApiEndpoint.post("preview", "/v1/programInstances/:id/dispatches/preview", {
      params,
      payload: CreateDispatch,
      success: DispatchPreview,
      error: [ValidationError, NotFound, InvalidState]
    })
      .annotate(WritesNothing, true)
      .annotateMerge(
        describe(
          workspaceKeys,
          "Preview a dispatch",
          "Takes the body of a creation and returns who would take part in the first interval, with which power by the present charges and limits, and who would not and why. It is refused as the creation would be. Nothing is stored or announced."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/dispatches/:id", {
      params,
      success: Dispatch,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Get a dispatch", "Returns a dispatch of the workspace.")),
    HttpApiEndpoint.patch("update", "/v1/dispatches/:id", {
      params,
      payload: UpdateDispatch,
      success: Dispatch,
      error: [ValidationError, NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a dispatch",
        "Changes a draft or a scheduled dispatch before its start; later it is INVALID_STATE. `intervals` are replaced as a whole. A scheduled dispatch does not become a draft again: cancel it."
      )
    ),
    HttpApiEndpoint.get("participants", "/v1/dispatches/:id/participants", {
      params,
      query: ParticipantFilters,
      success: Page(Participant),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(workspaceKeys, "List participants", "The sites of a dispatch with their states, by site id.")
    ),
    HttpApiEndpoint.post("optOut", "/v1/dispatches/:id/participants/:siteId/opt-out", {
      params: { id: PathId, siteId: PathId },
      payload: CancelDispatch,
      success: Participant,
      error: [ValidationError, NotFound, SiteNotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Opt a site out",
        "Before the start the site gets no command; during the dispatch its devices get their settings back at once. A site that takes no part is SITE_NOT_FOUND; a dispatch that is not voluntary or has ended is INVALID_STATE. Opting out twice changes nothing."
      )
    ),
    HttpApiEndpoint.post("cancel", "/v1/dispatches/:id/cancel", {
      params,
      payload: CancelDispatch,
      success: Dispatch,
      error: [ValidationError, NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Cancel a dispatch",
        "Ends it: commands that are not delivered are cancelled, and devices get their settings back at once. One that has ended is INVALID_STATE."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Dispatches",
      description:
        "Calls on the enrolled sites of a program instance, after the model of OpenADR 3: intervals with a mode or a power for each type of device, a priority, a random start, opt-out, and a report against a baseline."
    })
  ) {}
