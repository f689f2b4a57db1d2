import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WritesNothing, describe, deviceReadKeys, workspaceKeys } from "../auth/annotations.ts"
import {
  CollectionNotFound,
  DeviceNotFound,
  Forbidden,
  InvalidState,
  ScheduleNotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CreateDeviceSchedule,
  CreateSchedule,
  DeviceScheduleFilters,
  PreviewSchedule,
  Schedule,
  ScheduleFilters,
  SchedulePreview,
  UpdateSchedule
} from "./Schedule.ts"

const params = { id: PathId }
const SchedulePage = Page(Schedule)

const validation =
  "Modes are validated as inputs of the device type's set-operating-mode command, and for one device against its limits: `details` names the field, such as `rules.0.mode.operatingMode`. Rules that hold at the same time are VALIDATION_ERROR, which names both."

export class SchedulesApi extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.get("list", "/v1/schedules", {
      query: ScheduleFilters,
      success: SchedulePage,
      error: ValidationError
    }).annotateMerge(
      describe(workspaceKeys, "List schedules", "Schedules of the workspace, paused ones included, newest first.")
    ),
    HttpApiEndpoint.post("create", "/v1/schedules", {
      payload: CreateSchedule,
      success: Schedule.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState, DeviceNotFound, CollectionNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a schedule",
        `The first command is issued at the next transition, not at creation. ${validation} A device without the command is INVALID_STATE. A new schedule of a device replaces its earlier one, which becomes \`enabled\` false.`
      )
    ),
    HttpApiEndpoint.post("preview", "/v1/schedules/preview", {
      payload: PreviewSchedule,
      success: SchedulePreview,
      error: [ValidationError, InvalidState, DeviceNotFound, CollectionNotFound]
    })
      .annotate(WritesNothing, true)
      .annotateMerge(
        describe(
          workspaceKeys,
          "Preview a schedule",
          "Takes the body of a creation and returns the next 100 transitions, through changes of the clock. Nothing is stored or issued, and `enabled` has no effect."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/schedules/:id", {
      params,
      success: Schedule,
      error: ScheduleNotFound
    }).annotateMerge(describe(workspaceKeys, "Get a schedule", "Returns a schedule of the workspace.")),
    HttpApiEndpoint.patch("update", "/v1/schedules/:id", {
      params,
      payload: UpdateSchedule,
      success: Schedule,
      error: [ValidationError, ScheduleNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a schedule",
        `An absent field is unchanged; \`rules\` are replaced as a whole. \`enabled\` false pauses the schedule; true resumes it with its next transition, and pauses the device's other one. ${validation}`
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/schedules/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: ScheduleNotFound
    }).annotateMerge(
      describe(workspaceKeys, "Delete a schedule", "Devices keep their modes, and commands that were issued stay.")
    ),
    HttpApiEndpoint.get("ofDevice", "/v1/devices/:id/schedules", {
      params,
      query: DeviceScheduleFilters,
      success: SchedulePage,
      error: [ValidationError, DeviceNotFound, Forbidden]
    }).annotateMerge(
      describe(
        deviceReadKeys,
        "List schedules of a device",
        "The device's own schedules, newest first, of which at most one is enabled. Schedules of its tags and collections are not listed."
      )
    ),
    HttpApiEndpoint.post("createOfDevice", "/v1/devices/:id/schedules", {
      params,
      payload: CreateDeviceSchedule,
      success: Schedule.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState, DeviceNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a schedule of a device",
        "The same as creating a schedule with the device as its target and the device's type."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Schedules",
      description:
        "Operating modes by local time, repeated every week. At each transition the command of the mode is issued once to every device that follows the schedule, within 5 seconds. A device follows one enabled schedule: its own, else the newest of its collections, else the newest of its tags. A local time that clocks skip comes at the first instant after the gap, a repeated one at its first occurrence. A transition that was missed while the service was down is made up once, with the mode that holds then."
    })
  ) {}
