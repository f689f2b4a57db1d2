import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ApiKeyType } from "../auth/ApiKeyType.ts"
import { describe } from "../auth/annotations.ts"
import { ReturnsSecret } from "../auth/middleware.ts"
import { InvalidState, NotFound, ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { CursorPage, Page, withNextCursor } from "../shared/Page.ts"
import { Delivery, DeliveryFilters, ReplayDeliveries, Replayed, SendTest, TestResult } from "./Delivery.ts"
import { CreateDestination, Destination, DestinationFilters, OfWorkspace, UpdateDestination } from "./Destination.ts"

const keys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "MANAGEMENT"]
const params = { id: PathId }

export class DestinationsApi extends HttpApiGroup.make("destinations")
  .add(
    HttpApiEndpoint.get("list", "/v1/destinations", {
      query: DestinationFilters,
      success: Page(Destination),
      error: [ValidationError, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(describe(keys, "List destinations", "Newest first, including deactivated destinations.")),
    HttpApiEndpoint.post("create", "/v1/destinations", {
      query: OfWorkspace,
      payload: CreateDestination,
      success: Destination.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Create a destination",
          "The destination receives events from now on. WEBHOOK needs `url`, EMAIL `email`, SMS `phoneNumber`, KAFKA `kafkaConfig`, MANUFACTURER_COMMAND `url` and `manufacturer`; the fields of other types must be absent. A workspace has at most 100 destinations, including deactivated ones, unless the operator has set another limit; beyond it the request is INVALID_STATE. The response contains the secret and is not stored, so an `Idempotency-Key` is VALIDATION_ERROR."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(describe(keys, "Get a destination", "Returns a destination of the workspace.")),
    HttpApiEndpoint.patch("update", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      payload: UpdateDestination,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Update a destination",
          "A merge patch (RFC 7396): an absent field is unchanged; `headers` and `kafkaConfig` are merged and the results are validated. `destinationType` can't be changed; use rotate-secret to change the secret. Pending deliveries use the settings at the time when they are sent."
        )
      ),
    HttpApiEndpoint.delete("remove", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Delete a destination", "Pending deliveries are dropped.")),
    HttpApiEndpoint.post("activate", "/v1/destinations/:id/activate", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Activate a destination",
          "Activates a destination that was deactivated because it failed for 5 days or answered 410. Pending deliveries continue, and new events are delivered; use `replay` for the events in between. Has no effect on an active destination."
        )
      ),
    HttpApiEndpoint.post("rotateSecret", "/v1/destinations/:id/rotate-secret", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    })
      .annotate(ReturnsSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Rotate a destination's secret",
          "Creates a new secret and returns it. Deliveries are signed with both secrets for 24 hours, so that receivers can switch. A destination without a secret is INVALID_STATE."
        )
      ),
    HttpApiEndpoint.post("test", "/v1/destinations/:id/test", {
      params,
      query: OfWorkspace,
      payload: SendTest,
      success: TestResult,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Test a destination",
        "Sends one sample event immediately, without retries, and returns the outcome. `type` may be any event type; default is the first type that the destination subscribes to. The sample is not an event of the workspace and is not listed. An e-mail or text message counts against the hourly limit of its recipient; if the limit is reached, nothing is sent and `error` says when the next message is possible."
      )
    ),
    HttpApiEndpoint.get("deliveries", "/v1/destinations/:id/deliveries", {
      params,
      query: { ...DeliveryFilters, ...OfWorkspace },
      success: withNextCursor(CursorPage(Delivery)),
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "List deliveries", "Lists pending and completed deliveries of the destination, newest first.")
    ),
    HttpApiEndpoint.get("delivery", "/v1/destinations/:id/deliveries/:deliveryId", {
      params: { id: PathId, deliveryId: PathId },
      query: OfWorkspace,
      success: Delivery,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Get a delivery", "Returns a delivery with its attempts.")),
    HttpApiEndpoint.post("redeliver", "/v1/destinations/:id/deliveries/:deliveryId/redeliver", {
      params: { id: PathId, deliveryId: PathId },
      query: OfWorkspace,
      success: Delivery,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Deliver an event again",
        "Queues the delivery again, with the same event id and a full set of retries. INVALID_STATE if the destination is deactivated."
      )
    ),
    HttpApiEndpoint.post("replay", "/v1/destinations/:id/replay", {
      params,
      query: OfWorkspace,
      payload: ReplayDeliveries,
      success: Replayed,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Replay events",
        "Delivers the events of a time range of at most 30 days again, or with `failedOnly` only those whose delivery failed. Repeated events keep their id and order. INVALID_STATE if the destination is deactivated."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Destinations",
      description:
        "Receivers of events: by webhook, e-mail, SMS or Kafka, at least once and in order for each device, site, customer or alert. A destination that fails delays no other; one that fails for 5 days is deactivated."
    })
  ) {}
