import { withConventions } from "@edp/domain/auth/middleware"
import type { FleetFilters } from "@edp/domain/dashboard/Fleet"
import { FleetApi } from "@edp/domain/dashboard/FleetApi"
import { SavedFiltersApi } from "@edp/domain/dashboard/SavedFiltersApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import type { FleetSort } from "./filters.ts"

const api = withConventions(HttpApi.make("fleet").add(FleetApi, SavedFiltersApi))
export class FleetClient extends AtomHttpApi.Service<FleetClient>()("FleetClient", { api, ...pageClient }) {}

/** The number of rows that are read together. */
export const WINDOW_ROWS = 100

// These have no keys: `useQuietRefresh` reads them again.

export const fleetQuery = (query: FleetFilters) => FleetClient.query("fleet", "get", { query })

export const windowQuery = (filters: FleetFilters, sort: FleetSort, window: number) =>
  FleetClient.query("fleet", "devices", {
    query: { ...filters, sort, offset: window * WINDOW_ROWS, limit: WINDOW_ROWS }
  })

export const mapQuery = (filters: FleetFilters, bbox: string | undefined, zoom: number) =>
  FleetClient.query("fleet", "map", {
    query: { ...filters, ...(bbox !== undefined && { bbox }), zoom }
  })

export const savedFiltersQuery = FleetClient.query("savedFilters", "list", {
  query: { perPage: 100 },
  reactivityKeys: keys("saved-filters")
})
