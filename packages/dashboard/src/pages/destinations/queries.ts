import { withConventions } from "@edp/domain/auth/middleware"
import type { DestinationType } from "@edp/domain/destinations/Destination"
import { DestinationOverviewsApi } from "@edp/domain/destinations/DestinationOverviewsApi"
import { DestinationsApi } from "@edp/domain/destinations/DestinationsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("destinations").add(DestinationsApi, DestinationOverviewsApi))

export class DestinationsClient extends AtomHttpApi.Service<DestinationsClient>()("DestinationsClient", {
  api,
  ...pageClient
}) {}

/** A page of destinations with their health; without their secrets, which only acts read. */
export const destinationsQuery = (page: number, type: DestinationType | undefined) =>
  DestinationsClient.query("destinationOverviews", "list", {
    query: { page, perPage: 25, ...(type !== undefined && { destinationType: [type] }) },
    reactivityKeys: keys("destinations")
  })
