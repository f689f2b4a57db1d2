import { withConventions } from "@edp/domain/auth/middleware"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"
import { readAll } from "../api/readAll.ts"

const api = withConventions(HttpApi.make("sites").add(SitesApi))

export class SitesClient extends AtomHttpApi.Service<SitesClient>()("SitesClient", { api, ...pageClient }) {}

/** The queries that a new site changes. */
export const sitesChanged = ["sites"]

/** The queries that another value of a site changes. */
export const siteChanged = (id: string) => ["sites", `site:${id}`, "metrics"]

/** The queries that the end of a site changes. */
export const siteRemoved = ["sites", "devices", "customers", "metrics"]

/** The queries that a customer at a site, or no longer there, changes. */
export const siteLinkChanged = (siteId: string, customerId: string) => [
  "sites",
  `site:${siteId}`,
  "customers",
  `customer:${customerId}`
]

export interface SiteSearch {
  readonly page?: number | undefined
  readonly q?: string | undefined
  readonly state?: string | undefined
  readonly postalCode?: string | undefined
  readonly tag?: string | undefined
  readonly referenceId?: string | undefined
}

export const sitesQuery = ({ page = 1, q, state, postalCode, tag, referenceId }: SiteSearch) =>
  SitesClient.query("sites", "list", {
    query: given({
      page,
      perPage: 25,
      q,
      state: listed(state),
      postalCode: listed(postalCode),
      tag: listed(tag),
      referenceId: listed(referenceId)
    }),
    reactivityKeys: keys("sites")
  })

/** The first sites whose names begin with a text. */
export const siteChoicesQuery = (text: string) =>
  SitesClient.query("sites", "list", {
    query: given({ perPage: 20, q: text || undefined }),
    reactivityKeys: keys("sites")
  })

export const siteQuery = (id: string) =>
  SitesClient.query("sites", "get", { params: { id }, query: {}, reactivityKeys: keys("sites", `site:${id}`) })

/** The site with the weather at it, as far as the service knows it. */
export const siteWithWeatherQuery = (id: string) =>
  SitesClient.query("sites", "get", {
    params: { id },
    query: { include: "weather" },
    reactivityKeys: keys("sites", `site:${id}`)
  })

export const customerSitesQuery = (customerId: string, page = 1) =>
  SitesClient.query("sites", "list", {
    query: { page, perPage: 25, customerId: [customerId] },
    reactivityKeys: keys("sites", `customer:${customerId}`)
  })

/** The sites of a customer to choose from. */
export const allCustomerSitesQuery = Atom.family((customerId: string) =>
  SitesClient.runtime
    .atom(
      SitesClient.use((client) =>
        readAll((paging) => client.sites.list({ query: { ...paging, customerId: [customerId] } }))
      )
    )
    .pipe(dependingOn(keys("sites", `customer:${customerId}`)))
)
