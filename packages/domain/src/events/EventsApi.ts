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
        "What happened in the workspace in the last 30 days, newest first; `totalItems` counts 100,000 at most, as far as pages lead. With `after`, what comes after that `sequence`, oldest first. To follow the events live, ask again and again with the last `sequence` seen: an event is shown there only once everything before it has been committed or given up, so none is missed, however late it comes. Walk far back with `cursor`: its cost does not grow with depth."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/events/:id", {
      params: { id: PathId },
      success: Event,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Get an event", "One event of the workspace, for 30 days."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Events",
      description:
        "What happened: every event is written in the transaction of its cause, so that neither exists without the other, and is kept for 30 days. `sequence` tells the order; `version` is the version of the form of `data`. The section `webhooks` of this document describes each event."
    })
  ) {}
