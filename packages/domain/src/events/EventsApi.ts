import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { CursorPage, withNextCursor } from "../shared/Page.ts"
import { Event, EventFilters } from "./Event.ts"

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: EventFilters,
      success: withNextCursor(CursorPage(Event)),
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List events",
        "Lists the events of the last 30 days, newest first; `totalItems` counts at most 100,000, the range that pages reach. With `after` it lists the events after that `sequence`, oldest first. To follow events live, poll with the last `sequence` received: an event appears only when all earlier ones are committed or rolled back, so none is missed. Use `cursor` to page far back: its cost does not grow with depth."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/events/:id", {
      params: { id: PathId },
      success: Event,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Get an event", "Returns an event of the workspace, for 30 days."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Events",
      description:
        "Changes in a workspace. An event is committed together with its cause and is stored for 30 days. `sequence` is its position in the order of events; `version` is the version of the form of `data`. The section `webhooks` of this document describes each event."
    })
  ) {}
