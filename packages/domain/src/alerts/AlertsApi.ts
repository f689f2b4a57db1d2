import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NeedsBody, describe, deviceReadKeys, workspaceKeys } from "../auth/annotations.ts"
import {
  DeviceNotFound,
  Forbidden,
  NotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError,
  WorkspaceNotFound
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { AcknowledgeAlert, Alert, AlertFilters, CreateAlert } from "./Alert.ts"
import { AlertConfiguration, AlertGroups, OfWorkspace, SaveAlertConfiguration } from "./AlertConfiguration.ts"

const params = { id: PathId }

export class AlertsApi extends HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.get("list", "/v1/alerts", {
      query: AlertFilters,
      success: Page(Alert),
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List alerts",
        "Lists the alerts of the workspace, newest first. Alerts that the workspace's alert configuration hides are neither listed nor counted; they can still be read and changed by id."
      )
    ),
    HttpApiEndpoint.post("create", "/v1/alerts", {
      payload: CreateAlert,
      success: Alert.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, SiteNotFound, SiteNotInWorkspace, DeviceNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create an alert",
        "The alert is OPEN, and its device fields are copied from the device. A device at another site, or at none, is VALIDATION_ERROR (`details.deviceId`)."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/alerts/:id", { params, success: Alert, error: NotFound }).annotateMerge(
      describe(workspaceKeys, "Get an alert", "One alert of the workspace.")
    ),
    HttpApiEndpoint.patch("acknowledge", "/v1/alerts/:id/acknowledge", {
      params,
      payload: AcknowledgeAlert,
      success: Alert,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Acknowledge an alert",
        "Possible from any status; repeating it updates `acknowledgedAt`. `snoozeUntil` pauses follow-up until that time; without it an earlier snooze ends."
      )
    ),
    HttpApiEndpoint.patch("ignore", "/v1/alerts/:id/ignore", { params, success: Alert, error: NotFound }).annotateMerge(
      describe(
        workspaceKeys,
        "Ignore an alert",
        "Possible from any status. Suppresses the alert without resolving it, and ends a snooze."
      )
    ),
    HttpApiEndpoint.patch("resolve", "/v1/alerts/:id/resolve", {
      params,
      success: Alert,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Resolve an alert", "Possible from any status. Ends a snooze.")),
    HttpApiEndpoint.get("ofDevice", "/v1/devices/:id/alerts", {
      params,
      query: AlertFilters,
      success: Page(Alert),
      error: [ValidationError, DeviceNotFound, Forbidden]
    }).annotateMerge(
      describe(
        deviceReadKeys,
        "List alerts of a device",
        "Newest first, with the same filters as the list of all alerts. Alerts that the workspace's alert configuration hides are neither listed nor counted."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Alerts",
      description:
        "Problems of devices and sites and their handling. An alert is OPEN, ACKNOWLEDGED, IGNORED or RESOLVED and may move between any of these; the times and actors of earlier moves are kept. When a device goes offline, the service raises an alert (source system `edp`, type COMMUNICATIONS) and resolves it when the device reports again."
    })
  ) {}

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
        "The current rules. Before the first save there are no rules, `savedAt` is null and every alert is listed."
      )
    ),
    HttpApiEndpoint.get("groups", `${path}/alerts`, {
      query: OfWorkspace,
      success: AlertGroups,
      error: [ValidationError, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Count the present alerts",
        "The open and acknowledged alerts, hidden ones included, by severity, type, subtype and source system: they show what rules would hide before they are saved."
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
          "Replaces all rules: an absent rule is removed. From the next request on, on every instance, the lists of alerts show and count those that pass every rule."
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
        "Every alert is listed again, as before the first save. NOT_FOUND if nothing is saved."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Alert configuration",
      description:
        "The rules for which alerts `GET /v1/alerts` and `GET /v1/devices/:id/alerts` list and count. A hidden alert can still be read by its id and changed, and has events."
    })
  ) {}
