import { Api } from "@edp/domain/Api"
import { BrowserCallable } from "@edp/domain/auth/annotations"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"

interface Route {
  readonly path: RegExp
  readonly method: string
  readonly isForBrowsers: boolean
}

/** The routes of a contract. Pages of other origins may call its reads under `/v1` and annotated endpoints. */
export const listRoutes = (api: HttpApi.Top): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api as never, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, mergedAnnotations }) => {
      const { method, path } = endpoint
      const pattern = path.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")
      // Endpoints for manufacturers are also served under /v1, where another list has the place of that of commands.
      const isAlias =
        group.identifier === "directIntegration" || (group.identifier === "directCommands" && method === "POST")
      const versioned = isAlias ? "(?:/v1)?" : ""
      const isRead = method === "GET" && path.startsWith("/v1/")
      const isForBrowsers = isRead || Context.get(mergedAnnotations, BrowserCallable)
      routes.push({ path: new RegExp(`^${versioned}${pattern}/?$`), method, isForBrowsers })
    }
  })
  return routes
}

/** The methods of a path, sorted. */
export const listMethods = (routes: ReadonlyArray<Route>, path: string): ReadonlyArray<string> => {
  const methods = new Set(routes.filter((route) => route.path.test(path)).map(({ method }) => method))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort()
}

const documents = { path: /^\/v1\/docs(\/(?:swagger\.json|reference\.js))?$/, method: "GET", isForBrowsers: true }
const routes = [...listRoutes(Api as never), ...listRoutes(DashboardApi as never), documents]
const routesForBrowsers = routes.filter(({ isForBrowsers }) => isForBrowsers)

/** The methods of a path for the Allow header; empty for an unknown path. */
export const allowedMethods = (path: string) => listMethods(routes, path).join(", ")

/** The methods of a path that pages of other origins may call. */
export const browserMethods = (path: string) => listMethods(routesForBrowsers, path)
