import { getRouteApi, type RegisteredRouter, type RouteById, type RouteIds } from "@tanstack/react-router"
import { type Change, useChange } from "./useChange.ts"

type Routes = RegisteredRouter["routeTree"]

/**
 * The parameters of a page and the function that changes them. Their types are named here: a type of the router that depends on itself
 * is then an error, while the router's own hooks would give `any`.
 */
export const pageRoute = <const Id extends RouteIds<Routes>>(id: Id) => {
  type Search = RouteById<Routes, Id>["types"]["fullSearchSchema"]
  type Params = RouteById<Routes, Id>["types"]["allParams"]
  const route = getRouteApi<RouteIds<Routes>>(id)
  return {
    useParams: (): Params => route.useParams() as Params,
    useSearch: (): Search => route.useSearch() as Search,
    useChange: (): Change<Search> => useChange<Search>(route.useNavigate() as never)
  }
}
