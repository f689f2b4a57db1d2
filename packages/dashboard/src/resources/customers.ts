import { withConventions } from "@edp/domain/auth/middleware"
import { CustomersApi } from "@edp/domain/customers/CustomersApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("customers").add(CustomersApi))

export class CustomersClient extends AtomHttpApi.Service<CustomersClient>()("CustomersClient", {
  api,
  ...pageClient
}) {}

/** The queries that a new customer changes. */
export const customersChanged = ["customers"]

/** The queries that another value of a customer changes. */
export const customerChanged = (id: string) => ["customers", `customer:${id}`]

/** The queries that the end of a customer changes. */
export const customerRemoved = ["customers", "sites"]

export interface CustomerSearch {
  readonly page?: number | undefined
  readonly q?: string | undefined
  readonly email?: string | undefined
  readonly referenceId?: string | undefined
}

export const customersQuery = ({ page = 1, q, email, referenceId }: CustomerSearch) =>
  CustomersClient.query("customers", "list", {
    query: given({ page, perPage: 25, q, email, referenceId: listed(referenceId) }),
    reactivityKeys: keys("customers")
  })

/** The first customers whose names begin with a text. */
export const customerChoicesQuery = (text: string) =>
  CustomersClient.query("customers", "list", {
    query: given({ perPage: 20, q: text || undefined }),
    reactivityKeys: keys("customers")
  })

export const customerQuery = (id: string) =>
  CustomersClient.query("customers", "get", {
    params: { id },
    query: {},
    reactivityKeys: keys("customers", `customer:${id}`)
  })

export const siteCustomersQuery = (siteId: string, page = 1, perPage = 25) =>
  CustomersClient.query("customers", "list", {
    query: { page, perPage, siteId: [siteId] },
    reactivityKeys: keys("customers", `site:${siteId}`)
  })

/** The first customers of a site, for their names. The page of the site lists all. */
export const namedCustomersQuery = (siteId: string) => siteCustomersQuery(siteId, 1, 10)
