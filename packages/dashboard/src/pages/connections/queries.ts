import { withConventions } from "@edp/domain/auth/middleware"
import type { ConnectedAccountStatus } from "@edp/domain/connections/ConnectedAccount"
import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"
import { ConnectedAccountsApi, ConnectFunnelApi, ConnectionsApi } from "@edp/domain/connections/ConnectionsApi"
import { ManufacturersApi } from "@edp/domain/manufacturers/ManufacturersApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import { dependingOn } from "../../api/reactivity.ts"
import { readAll } from "../../api/readAll.ts"

const api = withConventions(
  HttpApi.make("connections").add(ConnectionsApi, ConnectedAccountsApi, ConnectFunnelApi, ManufacturersApi)
)

export class ConnectionsClient extends AtomHttpApi.Service<ConnectionsClient>()("ConnectionsClient", {
  api,
  ...pageClient
}) {}

interface Filters<Status> {
  readonly page: number
  readonly status: Status | undefined
  readonly manufacturer: string | undefined
}

const filtered = <Status>({ page, status, manufacturer }: Filters<Status>) => ({
  page,
  perPage: 25,
  ...(status !== undefined && { status: [status] }),
  ...(manufacturer !== undefined && { manufacturer: [manufacturer] })
})

export const accountsQuery = (filters: Filters<ConnectedAccountStatus>) =>
  ConnectionsClient.query("connectedAccounts", "list", {
    query: filtered(filters),
    reactivityKeys: keys("connections")
  })

export const sessionsQuery = (filters: Filters<ConnectSessionStatus>) =>
  ConnectionsClient.query("connections", "list", { query: filtered(filters), reactivityKeys: keys("connections") })

export const sessionQuery = (id: string) =>
  ConnectionsClient.query("connections", "get", { params: { id }, reactivityKeys: keys("connections") })

export const funnelQuery = (from: string, to: string) =>
  ConnectionsClient.query("connectFunnel", "get", { query: { from, to }, reactivityKeys: keys("connections") })

/** All manufacturers, for their names. */
export const manufacturersQuery = ConnectionsClient.runtime
  .atom(ConnectionsClient.use((client) => readAll((query) => client.manufacturers.list({ query }))))
  .pipe(dependingOn(keys("manufacturers")))
