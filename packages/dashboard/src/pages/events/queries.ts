import { withConventions } from "@edp/domain/auth/middleware"
import { DestinationOverviewsApi } from "@edp/domain/destinations/DestinationOverviewsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("eventDeliveries").add(DestinationOverviewsApi))

class DeliveriesClient extends AtomHttpApi.Service<DeliveriesClient>()("EventDeliveriesClient", {
  api,
  ...pageClient
}) {}

export const eventDeliveriesQuery = (id: string) =>
  DeliveriesClient.query("destinationOverviews", "eventDeliveries", {
    params: { id },
    reactivityKeys: keys("destinations")
  })

/** The newest destinations, for their names. */
export const destinationNamesQuery = () =>
  DeliveriesClient.query("destinationOverviews", "list", {
    query: { perPage: 100 },
    reactivityKeys: keys("destinations")
  })

/** A destination that is not among them. */
export const destinationQuery = (id: string) =>
  DeliveriesClient.query("destinationOverviews", "get", { params: { id }, reactivityKeys: keys("destinations") })
