import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams
} from "@tanstack/react-router"
import { rootSearch, searches } from "./search.ts"
import { FailedPage, MissingPage } from "./FailedPage.tsx"
import { Shell } from "./Shell.tsx"

const root = createRootRoute({
  component: Shell,
  validateSearch: rootSearch,
  search: { middlewares: [retainSearchParams(["workspace"])] },
  notFoundComponent: MissingPage,
  errorComponent: FailedPage
})

type AnySearch = (typeof searches)[keyof typeof searches]

const page = <const Path extends string, Search extends AnySearch>(
  path: Path,
  validateSearch: Search,
  load: () => Promise<{ readonly Page: () => React.ReactNode }>
) => createRoute({ getParentRoute: () => root, path, validateSearch, component: lazyRouteComponent(load, "Page") })

/** Every page with its address and its parameters. The code of a page is loaded when it is first opened. */
const routeTree = root.addChildren([
  page("/", searches.fleet, () => import("../pages/fleet/Page.tsx")),
  page("/dashboard/devices/$id", searches.device, () => import("../pages/device/Page.tsx")),
  page("/dashboard/sites", searches.sites, () => import("../pages/sites/Page.tsx")),
  page("/dashboard/sites/$id", searches.site, () => import("../pages/sites/site/Page.tsx")),
  page("/dashboard/customers", searches.customers, () => import("../pages/customers/Page.tsx")),
  page("/dashboard/customers/$id", searches.customer, () => import("../pages/customers/customer/Page.tsx")),
  page("/dashboard/energy", searches.energy, () => import("../pages/energy/Page.tsx")),
  page("/dashboard/alerts", searches.alerts, () => import("../pages/alerts/Page.tsx")),
  page("/dashboard/events", searches.events, () => import("../pages/events/Page.tsx")),
  page("/dashboard/destinations", searches.destinations, () => import("../pages/destinations/Page.tsx")),
  page("/dashboard/destinations/$id", searches.destination, () => import("../pages/destination/Page.tsx")),
  page("/dashboard/connections", searches.connections, () => import("../pages/connections/Page.tsx")),
  page("/dashboard/programs", searches.programs, () => import("../pages/programs/Page.tsx")),
  page("/dashboard/programs/$id", searches.program, () => import("../pages/program/Page.tsx")),
  page("/dashboard/dispatches", searches.dispatches, () => import("../pages/dispatches/Page.tsx")),
  page("/dashboard/dispatches/$id", searches.dispatch, () => import("../pages/dispatch/Page.tsx")),
  page("/dashboard/keys", searches.keys, () => import("../pages/keys/Page.tsx")),
  page("/dashboard/health", searches.none, () => import("../pages/health/Page.tsx")),
  page("/dashboard/account", searches.account, () => import("../pages/account/Page.tsx"))
])

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== "")
    const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
    return text === "" ? "" : `?${text}`
  }
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
