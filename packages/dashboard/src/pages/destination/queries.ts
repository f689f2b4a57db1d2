import { withConventions } from "@edp/domain/auth/middleware"
import type { DeliveryStatus } from "@edp/domain/destinations/Delivery"
import { DestinationOverviewsApi } from "@edp/domain/destinations/DestinationOverviewsApi"
import { DestinationsApi } from "@edp/domain/destinations/DestinationsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("destination").add(DestinationsApi, DestinationOverviewsApi))

export class DestinationClient extends AtomHttpApi.Service<DestinationClient>()("DestinationClient", {
  api,
  ...pageClient
}) {}

/** The queries that an act on a destination changes. */
export const changedBy = (id: string) => ["destinations", `destination:${id}`]

export const destinationQuery = (id: string) =>
  DestinationClient.query("destinationOverviews", "get", {
    params: { id },
    reactivityKeys: keys(`destination:${id}`)
  })

export const deliveriesQuery = (id: string, status: DeliveryStatus | undefined, cursor: string | undefined) =>
  DestinationClient.query("destinations", "deliveries", {
    params: { id },
    query: { perPage: 25, ...(status !== undefined && { status: [status] }), ...(cursor !== undefined && { cursor }) },
    reactivityKeys: keys(`destination:${id}`)
  })

export const deliveryQuery = (id: string, deliveryId: string) =>
  DestinationClient.query("destinations", "delivery", {
    params: { id, deliveryId },
    query: {},
    reactivityKeys: keys(`destination:${id}`)
  })
