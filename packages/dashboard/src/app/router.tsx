import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams
} from "@tanstack/react-router"
import { FailedPage, MissingPage } from "./FailedPage.tsx"
import { Shell } from "./Shell.tsx"

/** The parameters of an address. All are texts; a page reads and writes its own with `useParameters`. */
type Parameters = Readonly<Record<string, string | undefined>>

const root = createRootRoute({
  component: Shell,
  validateSearch: (search: Record<string, unknown>): Parameters => search as Parameters,
  search: { middlewares: [retainSearchParams(["workspace"])] },
  notFoundComponent: MissingPage,
  errorComponent: FailedPage
})

const page = <const Path extends string>(path: Path, load: () => Promise<{ readonly Page: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") })

/** Every page with its address. The code of a page is loaded when it is first opened. */
const routeTree = root.addChildren([
  page("/", () => import("../pages/fleet/Page.tsx")),
  page("/dashboard/devices/$id", () => import("../pages/device/Page.tsx")),
  page("/dashboard/sites", () => import("../pages/sites/Page.tsx")),
  page("/dashboard/sites/$id", () => import("../pages/sites/site/Page.tsx")),
  page("/dashboard/customers", () => import("../pages/customers/Page.tsx")),
  page("/dashboard/customers/$id", () => import("../pages/customers/customer/Page.tsx")),
  page("/dashboard/energy", () => import("../pages/energy/Page.tsx")),
  page("/dashboard/alerts", () => import("../pages/alerts/Page.tsx")),
  page("/dashboard/events", () => import("../pages/events/Page.tsx")),
  page("/dashboard/destinations", () => import("../pages/destinations/Page.tsx")),
  page("/dashboard/destinations/$id", () => import("../pages/destination/Page.tsx")),
  page("/dashboard/connections", () => import("../pages/connections/Page.tsx")),
  page("/dashboard/programs", () => import("../pages/programs/Page.tsx")),
  page("/dashboard/programs/$id", () => import("../pages/program/Page.tsx")),
  page("/dashboard/dispatches", () => import("../pages/dispatches/Page.tsx")),
  page("/dashboard/dispatches/$id", () => import("../pages/dispatch/Page.tsx")),
  page("/dashboard/keys", () => import("../pages/keys/Page.tsx")),
  page("/dashboard/health", () => import("../pages/health/Page.tsx")),
  page("/dashboard/account", () => import("../pages/account/Page.tsx"))
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
