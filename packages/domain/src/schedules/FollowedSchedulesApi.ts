import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DeviceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Schedule } from "./Schedule.ts"

/** Schedules of collections, and of tags, that are compared for a device: the newest of each. */
export const COMPARED_SCHEDULES = 100

export const FollowedSchedules = Schema.Struct({
  data: Schema.Array(Schedule)
    .check(documents({ maxItems: 2 * COMPARED_SCHEDULES + 1 }))
    .annotate({ description: "In the order of their precedence: the device follows the first one" })
}).annotate({
  identifier: "FollowedSchedules",
  description: "The enabled schedules that include a device",
  examples: [{ data: [] }]
})
export type FollowedSchedules = typeof FollowedSchedules.Type

export class FollowedSchedulesApi extends HttpApiGroup.make("followedSchedules")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/devices/:id/schedules", {
      params: { id: PathId },
      success: FollowedSchedules,
      error: DeviceNotFound
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List the schedules that include a device",
        "Enabled schedules of the device, of its collections and of its tags. The first one is followed: the device's own, else the newest of its collections, else the newest of its tags."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Followed schedules", description: "The schedules that devices follow." })
  ) {}
