import { withConventions } from "@edp/domain/auth/middleware"
import type { FleetFilters, fleetSorts } from "@edp/domain/dashboard/Fleet"
import { FleetApi } from "@edp/domain/dashboard/FleetApi"
import { SavedFiltersApi } from "@edp/domain/dashboard/SavedFiltersApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("fleet").add(FleetApi, SavedFiltersApi))

export class FleetClient extends AtomHttpApi.Service<FleetClient>()("FleetClient", { api, ...pageClient }) {}

/** The queries that a saved filter, or its end, changes. */
export const savedFiltersChanged = ["saved-filters"]

export type FleetSort = (typeof fleetSorts)[number]

/** The number of rows that are read together. */
export const WINDOW_ROWS = 100

// The next three have no keys: `useQuietRefresh` of the page reads them again.

export const fleetQuery = (filters: FleetFilters) => FleetClient.query("fleet", "get", { query: filters })

export const fleetWindowQuery = (filters: FleetFilters, sort: FleetSort, window: number) =>
  FleetClient.query("fleet", "devices", {
    query: { ...filters, sort, offset: window * WINDOW_ROWS, limit: WINDOW_ROWS }
  })

export const fleetMapQuery = (filters: FleetFilters, bbox: string | undefined, zoom: number) =>
  FleetClient.query("fleet", "map", { query: { ...filters, ...given({ bbox }), zoom } })

/** The device of a site, or of the workspace, that reported last. */
export const lastReportQuery = (siteId: string | undefined) =>
  FleetClient.query("fleet", "devices", {
    query: given({ offset: 0, limit: 1, sort: "last-reported" as const, siteId: listed(siteId) }),
    reactivityKeys: keys("devices")
  })

export const savedFiltersQuery = FleetClient.query("savedFilters", "list", {
  query: { perPage: 100 },
  reactivityKeys: keys("saved-filters")
})
