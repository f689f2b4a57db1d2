import { Api } from "@edp/domain/Api"
import { HttpApi } from "effect/http-api"

const routes: Array<{ readonly path: RegExp; readonly method: string }> = []

HttpApi.reflect(Api as never, {
  onGroup: () => {},
  onEndpoint: ({ group, endpoint }) => {
    const pattern = endpoint.path.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")
    // What manufacturers call is served under /v1, too.
    const versioned = group.identifier === "directIntegration" ? "(?:/v1)?" : ""
    routes.push({ path: new RegExp(`^${versioned}${pattern}/?$`), method: endpoint.method })
  }
})

/** The methods that a path of the contract takes, for the Allow header; empty when there is no such path. */
export const allowedMethods = (path: string) => {
  const methods = new Set(routes.filter((route) => route.path.test(path)).map(({ method }) => method))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort().join(", ")
}
