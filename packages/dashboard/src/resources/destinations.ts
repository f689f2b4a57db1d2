import { withConventions } from "@edp/domain/auth/middleware"
import type { DeliveryStatus } from "@edp/domain/destinations/Delivery"
import type { DestinationType } from "@edp/domain/destinations/Destination"
import { DestinationOverviewsApi } from "@edp/domain/destinations/DestinationOverviewsApi"
import { DestinationsApi } from "@edp/domain/destinations/DestinationsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("destinations").add(DestinationsApi, DestinationOverviewsApi))

export class DestinationsClient extends AtomHttpApi.Service<DestinationsClient>()("DestinationsClient", {
  api,
  ...pageClient
}) {}

/** The queries that a new destination, or the end of one, changes: those of a removed one would not find it. */
export const destinationsChanged = ["destinations"]

/** The queries that an action on a destination changes. */
export const destinationChanged = (id: string) => ["destinations", `destination:${id}`]

interface DestinationSearch {
  readonly page?: number | undefined
  readonly type?: DestinationType | undefined
}

/** A page of destinations with their health; without their secrets, which only actions read. */
export const destinationsQuery = ({ page = 1, type }: DestinationSearch) =>
  DestinationsClient.query("destinationOverviews", "list", {
    query: given({ page, perPage: 25, destinationType: listed(type) }),
    reactivityKeys: keys("destinations")
  })

/** The newest destinations, for their names. */
export const destinationNamesQuery = DestinationsClient.query("destinationOverviews", "list", {
  query: { perPage: 100 },
  reactivityKeys: keys("destinations")
})

export const destinationQuery = (id: string) =>
  DestinationsClient.query("destinationOverviews", "get", {
    params: { id },
    reactivityKeys: keys(`destination:${id}`)
  })

interface DeliverySearch {
  readonly status?: DeliveryStatus | undefined
  readonly cursor?: string | undefined
}

export const deliveriesQuery = (id: string, { status, cursor }: DeliverySearch) =>
  DestinationsClient.query("destinations", "deliveries", {
    params: { id },
    query: given({ perPage: 25, status: listed(status), cursor }),
    reactivityKeys: keys(`destination:${id}`)
  })

export const deliveryQuery = (id: string, deliveryId: string) =>
  DestinationsClient.query("destinations", "delivery", {
    params: { id, deliveryId },
    query: {},
    reactivityKeys: keys(`destination:${id}`)
  })

export const eventDeliveriesQuery = (eventId: string) =>
  DestinationsClient.query("destinationOverviews", "eventDeliveries", {
    params: { id: eventId },
    reactivityKeys: keys("destinations")
  })
