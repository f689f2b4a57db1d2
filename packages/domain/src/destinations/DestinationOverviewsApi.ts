import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { DestinationOverview, EventDeliveries, OverviewFilters } from "./DestinationOverview.ts"

const management = ["MANAGEMENT"] as const
const params = { id: PathId }

/** The operators' view of destinations: nothing in it is secret, unlike the responses of `/v1/destinations`. */
export class DestinationOverviewsApi extends HttpApiGroup.make("destinationOverviews")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/destinations", {
      query: OverviewFilters,
      success: Page(DestinationOverview),
      error: ValidationError
    }).annotateMerge(
      describe(management, "List destinations with their health", "Those of the workspace, newest first.")
    ),
    HttpApiEndpoint.get("get", "/dashboard/api/destinations/:id", {
      params,
      success: DestinationOverview,
      error: NotFound
    }).annotateMerge(describe(management, "Get a destination with its health", "A destination of the workspace.")),
    HttpApiEndpoint.post("deactivate", "/dashboard/api/destinations/:id/deactivate", {
      params,
      success: DestinationOverview,
      error: NotFound
    }).annotateMerge(
      describe(
        management,
        "Deactivate a destination",
        "Nothing is sent until it is activated again: waiting deliveries stay, and events that happen meanwhile are not kept for it. Has no effect on a deactivated destination."
      )
    ),
    HttpApiEndpoint.get("eventDeliveries", "/dashboard/api/events/:id/deliveries", {
      params,
      success: EventDeliveries,
      error: NotFound
    }).annotateMerge(
      describe(
        management,
        "List the deliveries of an event",
        "To the destinations that the workspace has now, newest first."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Destination overviews", description: "Destinations and how their deliveries go." })
  ) {}
