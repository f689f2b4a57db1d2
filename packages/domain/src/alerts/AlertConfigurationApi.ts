import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/describe.ts"
import { NeedsBody } from "../auth/NeedsBody.ts"
import { NotFound, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { AlertConfiguration, OfWorkspace, SaveAlertConfiguration } from "./AlertConfiguration.ts"

const path = "/dashboard/api/alert-configuration"

export class AlertConfigurationApi extends HttpApiGroup.make("alertConfiguration")
  .add(
    HttpApiEndpoint.get("get", path, {
      query: OfWorkspace,
      success: AlertConfiguration,
      error: [ValidationError, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the alert configuration",
        "The rules that hold. Before the first save there is none, `savedAt` is null and every alert is listed."
      )
    ),
    HttpApiEndpoint.put("save", path, {
      query: OfWorkspace,
      payload: SaveAlertConfiguration,
      success: AlertConfiguration,
      error: [ValidationError, WorkspaceNotFound]
    })
      // A body left out by mistake must not delete every rule.
      .annotate(NeedsBody, true)
      .annotateMerge(
        describe(
          ["MANAGEMENT"],
          "Save the alert configuration",
          "Replaces the whole of it: a rule that is left out is none. From the next request on, on every instance, the lists of alerts show and count those that pass every rule."
        )
      ),
    HttpApiEndpoint.delete("clear", path, {
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, WorkspaceNotFound, NotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Clear the alert configuration",
        "Every alert is listed again, as before the first save. NOT_FOUND where nothing is saved."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Alert configuration",
      description:
        "Which alerts `GET /v1/alerts` and `GET /v1/devices/:id/alerts` show and count. An alert that they hide is found by its id, moved and told in events as ever."
    })
  ) {}
