import { withConventions } from "@edp/domain/auth/middleware"
import { CustomersApi } from "@edp/domain/customers/CustomersApi"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import { dependingOn } from "../../api/reactivity.ts"
import { readAll } from "../../api/readAll.ts"

const api = withConventions(HttpApi.make("customers").add(CustomersApi, SitesApi))

export class CustomersClient extends AtomHttpApi.Service<CustomersClient>()("CustomersClient", {
  api,
  ...pageClient
}) {}

export interface CustomerSearch {
  readonly page: number
  readonly q?: string | undefined
  readonly email?: string | undefined
  readonly referenceId?: string | undefined
  readonly siteId?: string | undefined
}

export const customersQuery = ({ page, q, email, referenceId, siteId }: CustomerSearch) =>
  CustomersClient.query("customers", "list", {
    query: {
      page,
      perPage: 25,
      ...(q !== undefined && { q }),
      ...(email !== undefined && { email }),
      ...(referenceId !== undefined && { referenceId: [referenceId] }),
      ...(siteId !== undefined && { siteId: [siteId] })
    },
    reactivityKeys: keys("customers")
  })

export const customerQuery = (id: string) =>
  CustomersClient.query("customers", "get", {
    params: { id },
    query: {},
    reactivityKeys: keys("customers", `customer:${id}`)
  })

export const sitesQuery = (text: string) =>
  CustomersClient.query("sites", "list", {
    query: { perPage: 20, ...(text !== "" && { q: text }) },
    reactivityKeys: keys("sites")
  })

/** The sites of a customer to choose from. */
export const allSitesWithCustomerQuery = Atom.family((customerId: string) =>
  CustomersClient.runtime
    .atom(
      CustomersClient.use((client) =>
        readAll((paging) => client.sites.list({ query: { ...paging, customerId: [customerId] } }))
      )
    )
    .pipe(dependingOn(keys("sites", `customer:${customerId}`)))
)

export const sitesWithCustomerQuery = (customerId: string, page: number) =>
  CustomersClient.query("sites", "list", {
    query: { page, perPage: 25, customerId: [customerId] },
    reactivityKeys: keys("sites", `customer:${customerId}`)
  })
