import { Api } from "@edp/domain/Api"
import { BrowserCallable } from "@edp/domain/auth/BrowserCallable"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"

interface Route {
  readonly path: RegExp
  readonly method: string
  readonly isForBrowsers: boolean
}

const routes: Array<Route> = ["/v1/docs", "/v1/docs/swagger.json"].map((path) => ({
  path: new RegExp(`^${path}$`),
  method: "GET",
  isForBrowsers: true
}))

HttpApi.reflect(Api as never, {
  onGroup: () => {},
  onEndpoint: ({ group, endpoint, mergedAnnotations }) => {
    const pattern = endpoint.path.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")
    // What manufacturers call is served under /v1, too.
    const versioned = group.identifier === "directIntegration" ? "(?:/v1)?" : ""
    const { method } = endpoint
    const isRead = method === "GET" && endpoint.path.startsWith("/v1/")
    routes.push({
      path: new RegExp(`^${versioned}${pattern}/?$`),
      method,
      isForBrowsers: isRead || Context.get(mergedAnnotations as Context.Context<never>, BrowserCallable)
    })
  }
})

const methodsOf = (path: string, is: (route: Route) => boolean) => {
  const methods = new Set(routes.filter((route) => is(route) && route.path.test(path)).map(({ method }) => method))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort()
}

/** The methods that a path takes, for the Allow header; empty when there is no such path. */
export const allowedMethods = (path: string) => methodsOf(path, () => true).join(", ")

/** Those of them that pages of other origins may call: reads under `/v1`, and what is annotated. */
export const browserMethods = (path: string) => methodsOf(path, ({ isForBrowsers }) => isForBrowsers)
