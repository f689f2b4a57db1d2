import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ApiKeyType } from "../auth/ApiKeyType.ts"
import { describe } from "../auth/annotations.ts"
import { AnswersSecret } from "../auth/middleware.ts"
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
    }).annotateMerge(describe(keys, "List destinations", "Newest first, deactivated ones among them.")),
    HttpApiEndpoint.post("create", "/v1/destinations", {
      query: OfWorkspace,
      payload: CreateDestination,
      success: Destination.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState, WorkspaceNotFound]
    })
      .annotate(AnswersSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Create a destination",
          "It gets what happens from now on. WEBHOOK needs `url`, EMAIL `email`, SMS `phoneNumber`, KAFKA `kafkaConfig`, MANUFACTURER_COMMAND `url` and `manufacturer`; the fields of other types must be absent. A workspace has at most 100 destinations, deactivated ones included, unless its operator has set another number: beyond that it is INVALID_STATE. The answer holds the secret, so it is not kept to be repeated: an `Idempotency-Key` is VALIDATION_ERROR."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Get a destination", "One destination of the workspace.")),
    HttpApiEndpoint.patch("update", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      payload: UpdateDestination,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Update a destination",
        "A merge patch (RFC 7396): an absent field stays as it is; `headers` and `kafkaConfig` are merged and then checked whole. `destinationType` is fixed; the secret changes by rotate-secret. Deliveries that wait go where the destination leads when they are sent."
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/destinations/:id", {
      params,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Delete a destination", "What was still to be delivered there is dropped.")),
    HttpApiEndpoint.post("activate", "/v1/destinations/:id/activate", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    })
      .annotate(AnswersSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Activate a destination",
          "Reopens one that was deactivated because it failed for 5 days or answered 410: what waited goes on, and what happens from now on goes there; `replay` brings what happened meanwhile. An active one stays as it is."
        )
      ),
    HttpApiEndpoint.post("rotateSecret", "/v1/destinations/:id/rotate-secret", {
      params,
      query: OfWorkspace,
      success: Destination,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    })
      .annotate(AnswersSecret, true)
      .annotateMerge(
        describe(
          keys,
          "Rotate a destination's secret",
          "Makes a new secret and answers it. For 24 hours deliveries are signed with both, so that receivers can change over. Destinations without a secret are INVALID_STATE."
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
        "Sends a sample event at once and once, and tells what became of it: of `type`, whether or not the destination subscribes to it, by default of the first type that it subscribes to. It is no event of the workspace and is not listed. A mail or text message counts among those that its recipient may get in an hour; where they are used up nothing is sent, and `error` says when the next can be."
      )
    ),
    HttpApiEndpoint.get("deliveries", "/v1/destinations/:id/deliveries", {
      params,
      query: { ...DeliveryFilters, ...OfWorkspace },
      success: withNextCursor(CursorPage(Delivery)),
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "List deliveries", "Events on their way to the destination and those that arrived, newest first.")
    ),
    HttpApiEndpoint.get("delivery", "/v1/destinations/:id/deliveries/:deliveryId", {
      params: { id: PathId, deliveryId: PathId },
      query: OfWorkspace,
      success: Delivery,
      error: [ValidationError, NotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Get a delivery", "One delivery with its attempts.")),
    HttpApiEndpoint.post("redeliver", "/v1/destinations/:id/deliveries/:deliveryId/redeliver", {
      params: { id: PathId, deliveryId: PathId },
      query: OfWorkspace,
      success: Delivery,
      error: [ValidationError, NotFound, InvalidState, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Deliver an event again",
        "Sends it again as soon as it is its turn, with the same event id and all retries before it. A delivery to a deactivated destination is INVALID_STATE."
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
        "Delivers again what happened in a span of at most 30 days, or with `failedOnly` what was given up in it. Repeated events keep their id and order. A deactivated destination is INVALID_STATE."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Destinations",
      description:
        "Where events are delivered: by webhook, e-mail, SMS or Kafka, at least once and in order for each device, site, customer or alert. A destination that fails delays no other; one that fails for 5 days is deactivated."
    })
  ) {}
