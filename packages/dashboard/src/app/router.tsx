import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams
} from "@tanstack/react-router"
import type { AtomRegistry } from "effect/reactivity"
import { sessionAtom, workspaceAtom } from "../api/session.ts"
import { loadArea } from "../i18n/messages.ts"
import { overviewQueries } from "./overviewQueries.ts"
import { rootSearch, searches } from "./search.ts"
import { FailedPage, MissingPage } from "./FailedPage.tsx"
import { Shell } from "./Shell.tsx"

const root = createRootRouteWithContext<{ readonly registry: AtomRegistry.AtomRegistry }>()({
  component: Shell,
  validateSearch: rootSearch,
  search: { middlewares: [retainSearchParams(["workspace"])] },
  notFoundComponent: MissingPage,
  errorComponent: FailedPage
})

type Name = keyof typeof searches

const loadQueries = () => import("./pageQueries.ts")
const loadFleetQueries = () => import("./fleetQueries.ts")

/**
 * The queries that a page begins with. Those of the overview, where most visits begin, are loaded with the frame. Those of the fleet are apart: the
 * definitions of all resources take a tenth of a second to evaluate on a slow device.
 */
const queriesFor = async (name: Name) => {
  if (name === "overview") return overviewQueries
  if (name === "fleet") return (await loadFleetQueries()).fleetQueries
  return (await loadQueries()).pageQueries[name]
}

// The first load has no need of the other pages' queries. They are loaded at the first sign of a person, who may open another page.
for (const sign of ["pointermove", "pointerdown", "keydown"]) {
  addEventListener(sign, () => void Promise.all([loadQueries(), loadFleetQueries()]).catch(() => {}), { once: true })
}

interface PageModule {
  readonly Page: () => React.ReactNode
}

/** Loads a page and the messages that it needs beside those of the frame. */
const loadPage = async (name: Name, load: () => Promise<PageModule>) => {
  const [page] = await Promise.all([load(), name === "overview" ? undefined : loadArea("pages")])
  return page
}

/**
 * A page with its address and the name of its parameters and queries. Its code and the data that its address determines are asked
 * for together when it is opened. A link that is pointed at only loads the code, because a list has many links.
 *
 * `beforeLoad` starts the queries, because a loader would not run again for a page whose code was loaded before.
 */
const page = <const Path extends string, Search extends (typeof searches)[Name]>(
  path: Path,
  name: Name,
  validateSearch: Search,
  load: () => Promise<unknown>
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch,
    beforeLoad: ({ context: { registry }, params, preload, search }) => {
      const start = (queries: Awaited<ReturnType<typeof queriesFor>>) => {
        const { id = "" } = params as { readonly id?: string }
        const workspace = registry.get(workspaceAtom)
        const opened = {
          timeZone: workspace?.timezone ?? "UTC",
          workspaceId: workspace?.id,
          keyId: registry.get(sessionAtom)?.key.id
        }
        for (const query of queries(id, search as never, opened)) registry.get(query)
      }
      // Without the code of the queries there is none of the page either, and the page says so.
      queriesFor(name).then(preload ? () => {} : start, () => {})
    },
    // The types of pages depend on that of the router, which therefore knows nothing of theirs.
    component: lazyRouteComponent(() => loadPage(name, load as () => Promise<PageModule>), "Page")
  })

/** Every page with its address and its parameters. The code of a page is loaded when it is first opened. */
const routeTree = root.addChildren([
  page("/", "overview", searches.overview, () => import("../pages/overview/Page.tsx")),
  page("/dashboard/fleet", "fleet", searches.fleet, () => import("../pages/fleet/Page.tsx")),
  page("/dashboard/devices/$id", "device", searches.device, () => import("../pages/device/Page.tsx")),
  page("/dashboard/sites", "sites", searches.sites, () => import("../pages/sites/Page.tsx")),
  page("/dashboard/sites/$id", "site", searches.site, () => import("../pages/sites/site/Page.tsx")),
  page("/dashboard/customers", "customers", searches.customers, () => import("../pages/customers/Page.tsx")),
  page("/dashboard/customers/$id", "customer", searches.customer, () => import("../pages/customers/customer/Page.tsx")),
  page("/dashboard/energy", "energy", searches.energy, () => import("../pages/energy/Page.tsx")),
  page("/dashboard/alerts", "alerts", searches.alerts, () => import("../pages/alerts/Page.tsx")),
  page("/dashboard/events", "events", searches.events, () => import("../pages/events/Page.tsx")),
  page(
    "/dashboard/destinations",
    "destinations",
    searches.destinations,
    () => import("../pages/destinations/Page.tsx")
  ),
  page(
    "/dashboard/destinations/$id",
    "destination",
    searches.destination,
    () => import("../pages/destination/Page.tsx")
  ),
  page("/dashboard/connections", "connections", searches.connections, () => import("../pages/connections/Page.tsx")),
  page("/dashboard/programs", "programs", searches.programs, () => import("../pages/programs/Page.tsx")),
  page("/dashboard/programs/$id", "program", searches.program, () => import("../pages/program/Page.tsx")),
  page(
    "/dashboard/grid-connections",
    "gridConnections",
    searches.gridConnections,
    () => import("../pages/grid/Page.tsx")
  ),
  page(
    "/dashboard/grid-connections/$id",
    "gridConnection",
    searches.gridConnection,
    () => import("../pages/grid/connection/Page.tsx")
  ),
  page("/dashboard/openadr", "openAdr", searches.openAdr, () => import("../pages/grid/server/Page.tsx")),
  page("/dashboard/dispatches", "dispatches", searches.dispatches, () => import("../pages/dispatches/Page.tsx")),
  page("/dashboard/dispatches/$id", "dispatch", searches.dispatch, () => import("../pages/dispatch/Page.tsx")),
  page("/dashboard/commands", "commands", searches.commands, () => import("../pages/commands/Page.tsx")),
  page("/dashboard/collections", "collections", searches.collections, () => import("../pages/collections/Page.tsx")),
  page(
    "/dashboard/collections/$id",
    "collection",
    searches.collection,
    () => import("../pages/collections/collection/Page.tsx")
  ),
  page("/dashboard/schedules", "schedules", searches.schedules, () => import("../pages/schedules/Page.tsx")),
  page("/dashboard/settings", "settings", searches.settings, () => import("../pages/settings/Page.tsx")),
  page("/dashboard/audit", "audit", searches.audit, () => import("../pages/audit/Page.tsx")),
  page("/dashboard/keys", "keys", searches.keys, () => import("../pages/keys/Page.tsx")),
  page("/dashboard/health", "health", searches.health, () => import("../pages/health/Page.tsx")),
  page("/dashboard/account", "account", searches.account, () => import("../pages/account/Page.tsx"))
])

export const router = createRouter({
  routeTree,
  // The provider of the router gives the registry.
  context: { registry: undefined! },
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

/** Loads the code of the page of the address, before it can be shown. */
export const loadCode = () => void router.preloadRoute({ to: location.pathname })
