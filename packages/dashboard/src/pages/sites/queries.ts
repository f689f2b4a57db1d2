import { withConventions } from "@edp/domain/auth/middleware"
import { CustomersApi } from "@edp/domain/customers/CustomersApi"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("sites").add(SitesApi, CustomersApi))

export class SitesClient extends AtomHttpApi.Service<SitesClient>()("SitesClient", { api, ...pageClient }) {}

export interface SiteSearch {
  readonly page?: number
  readonly perPage: number
  readonly q?: string | undefined
  readonly state?: string | undefined
  readonly postalCode?: string | undefined
  readonly tag?: string | undefined
  readonly referenceId?: string | undefined
  readonly customerId?: string | undefined
}

export const sitesQuery = ({ page = 1, perPage, q, ...filters }: SiteSearch) =>
  SitesClient.query("sites", "list", {
    query: {
      page,
      perPage,
      ...(q !== undefined && { q }),
      ...Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, [value]]] : [])))
    },
    reactivityKeys: keys("sites")
  })

/** The site with the weather at it, as far as the service knows it. */
export const siteQuery = (id: string) =>
  SitesClient.query("sites", "get", {
    params: { id },
    query: { include: "weather" },
    reactivityKeys: keys("sites", `site:${id}`)
  })

export const customersQuery = (text: string) =>
  SitesClient.query("customers", "list", {
    query: { perPage: 20, ...(text !== "" && { q: text }) },
    reactivityKeys: keys("customers")
  })

export const customersAtSiteQuery = (siteId: string, page: number) =>
  SitesClient.query("customers", "list", {
    query: { page, perPage: 25, siteId: [siteId] },
    reactivityKeys: keys("customers", `site:${siteId}`)
  })
