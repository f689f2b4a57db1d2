import { eventTypes } from "@edp/domain/events/EventType"
import { Flag } from "effect/cli"
import { several } from "../../flags.ts"

/** The filters of `list` and `tail`. */
export const filterFlags = {
  type: Flag.Literals("type", eventTypes).pipe(
    Flag.withDescription("What happened; repeat for several"),
    Flag.atLeast(0)
  ),
  deviceId: several("device", "Id of the device that it happened to, or to alerts of it"),
  siteId: several("site", "Id of the site that it happened to, or to devices and alerts while they were there")
}
