import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, deviceReadKeys, workspaceKeys } from "../auth/annotations.ts"
import {
  DeletionProtectionEnabled,
  DeviceNotFound,
  Forbidden,
  NotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId, pathSegment } from "../shared/Cuid.ts"
import { CursorPage, paging, withNextCursor } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import { Device, DeviceFilters, DeviceIncludes, DeviceTags, HistoryFilters, UpdateDevice } from "./Device.ts"
import { RecordedState } from "./DeviceState.ts"

const params = { id: PathId }
const DevicePage = CursorPage(Device)

/** Any text: a text that can't be a tag is a tag that the device does not have. */
const PathTag = StoredText(100)
  .annotate({ description: "A tag of the device" })
  .pipe(Schema.decodeTo(Schema.String, { decode: SchemaGetter.passthrough(), encode: pathSegment }))

export class DevicesApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/v1/devices", {
      query: DeviceFilters,
      success: withNextCursor(DevicePage),
      error: ValidationError
    }).annotateMerge(
      describe(
        deviceReadKeys,
        "List devices",
        "Newest first. Filters that take several values accept a repeated parameter or a comma-separated list. A SCOPED key lists the devices of its own user. Page through large fleets with `cursor`: its cost does not grow with depth. Without `include=commandDetails` the `availableCommands` have a slug and a description only."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/devices/:id", {
      params,
      success: Device,
      error: [DeviceNotFound, Forbidden]
    }).annotateMerge(describe(deviceReadKeys, "Get a device", "Returns the device with its current state.")),
    HttpApiEndpoint.patch("update", "/v1/devices/:id", {
      params,
      payload: UpdateDevice,
      success: Device,
      error: [ValidationError, DeviceNotFound, SiteNotFound, SiteNotInWorkspace]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a device",
        "An absent field is unchanged; siteId null removes the device from its site."
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/devices/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [DeviceNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Delete a device",
        "Disconnects the device and deletes it with its history. A device of direct integration keeps its id but belongs to no workspace: its telemetry is DEVICE_NOT_ASSOCIATED until it is provisioned again."
      )
    ),
    HttpApiEndpoint.get("history", "/v1/devices/:id/history", {
      params,
      query: HistoryFilters,
      success: withNextCursor(CursorPage(RecordedState)),
      error: [ValidationError, DeviceNotFound, Forbidden]
    }).annotateMerge(
      describe(
        deviceReadKeys,
        "Read a device's history",
        "Readings from `from` (inclusive) to `to` (exclusive), by default of the last 24 hours, newest first. Each reading is the state variant of the device's type."
      )
    ),
    HttpApiEndpoint.get("tags", "/v1/devices/:id/tags", {
      params,
      success: DeviceTags,
      error: [DeviceNotFound, Forbidden]
    }).annotateMerge(describe(deviceReadKeys, "Get a device's tags", "In the order in which they were set.")),
    HttpApiEndpoint.put("setTags", "/v1/devices/:id/tags", {
      params,
      payload: DeviceTags,
      success: DeviceTags,
      error: [ValidationError, DeviceNotFound]
    }).annotateMerge(describe(workspaceKeys, "Replace a device's tags", "Repeated tags count once.")),
    HttpApiEndpoint.post("addTags", "/v1/devices/:id/tags", {
      params,
      payload: DeviceTags,
      success: DeviceTags,
      error: [ValidationError, DeviceNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Add tags to a device",
        "Tags that the device already has are not repeated; at most 100 in all."
      )
    ),
    HttpApiEndpoint.delete("removeTag", "/v1/devices/:id/tags/:tag", {
      params: { id: PathId, tag: PathTag },
      success: HttpApiSchema.NoContent,
      error: [DeviceNotFound, NotFound]
    }).annotateMerge(
      describe(workspaceKeys, "Remove a tag from a device", "If the device does not have the tag: NOT_FOUND.")
    ),
    HttpApiEndpoint.get("ofSite", "/v1/sites/:id/devices", {
      params,
      query: { ...paging(), ...DeviceIncludes },
      success: DevicePage,
      error: [ValidationError, SiteNotFound]
    }).annotateMerge(describe(workspaceKeys, "List devices of a site", "Newest first.")),
    HttpApiEndpoint.put("linkSite", "/v1/sites/:id/devices/:deviceId", {
      params: { id: PathId, deviceId: PathId },
      success: Device,
      error: [SiteNotFound, DeviceNotFound]
    }).annotateMerge(describe(workspaceKeys, "Put a device at a site", "The device leaves its previous site.")),
    HttpApiEndpoint.delete("unlinkSite", "/v1/sites/:id/devices/:deviceId", {
      params: { id: PathId, deviceId: PathId },
      success: HttpApiSchema.NoContent,
      error: [SiteNotFound, DeviceNotFound]
    }).annotateMerge(
      describe(workspaceKeys, "Take a device from a site", "A device that is not at the site is DEVICE_NOT_FOUND.")
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Devices",
      description:
        "Energy devices of all manufacturers in one form. The `type` of a device determines the variants of its `state` (the newest reading) and `staticState` (ratings); units and signs are the same for all manufacturers."
    })
  ) {}
