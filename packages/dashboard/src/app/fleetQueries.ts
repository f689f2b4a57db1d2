import { fleetQuery, fleetWindowQuery, savedFiltersQuery } from "../resources/fleet.ts"
import { readFilters } from "../pages/fleet/filters.ts"
import type { Queries, Search } from "./search.ts"

/** The queries of the fleet, of which the filters determine some. */
export const fleetQueries = (_: string, search: Search["fleet"]): Queries => {
  const filters = readFilters(search)
  const counts = fleetQuery(filters)
  const shown = search.view === "map" ? [] : [fleetWindowQuery(filters, search.sort ?? "newest", 0)]
  return [counts, ...shown, savedFiltersQuery, ...(Object.keys(filters).length === 0 ? [] : [fleetQuery({})])]
}
