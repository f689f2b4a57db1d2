import { withConventions } from "@edp/domain/auth/middleware"
import type { ConnectedAccountStatus } from "@edp/domain/connections/ConnectedAccount"
import { ConnectedAccountsApi, ConnectFunnelApi, ConnectionsApi } from "@edp/domain/connections/ConnectionsApi"
import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"

const api = withConventions(HttpApi.make("connections").add(ConnectionsApi, ConnectedAccountsApi, ConnectFunnelApi))

export class ConnectionsClient extends AtomHttpApi.Service<ConnectionsClient>()("ConnectionsClient", {
  api,
  ...pageClient
}) {}

/** The queries that a connect session, or its end, changes. */
export const connectionsChanged = ["connections"]

/** The queries that the end of an account changes, with those of its devices as far as they are known. */
export const accountDisconnected = (deviceIds: ReadonlyArray<string> = []) => [
  "connections",
  "devices",
  ...deviceIds.map((id) => `device:${id}`)
]

interface Filters<Status> {
  readonly page?: number | undefined
  readonly status?: Status | undefined
  readonly manufacturer?: string | undefined
}

const filtered = <Status>({ page = 1, status, manufacturer }: Filters<Status>) =>
  given({ page, perPage: 25, status: listed(status), manufacturer: listed(manufacturer) })

export const accountsQuery = (filters: Filters<ConnectedAccountStatus>) =>
  ConnectionsClient.query("connectedAccounts", "list", {
    query: filtered(filters),
    reactivityKeys: keys("connections")
  })

/** The account with an id, in a list of its own. */
export const accountQuery = (id: string) =>
  ConnectionsClient.query("connectedAccounts", "list", { query: { id: [id] }, reactivityKeys: keys("connections") })

export const connectSessionsQuery = (filters: Filters<ConnectSessionStatus>) =>
  ConnectionsClient.query("connections", "list", { query: filtered(filters), reactivityKeys: keys("connections") })

export const connectSessionQuery = (id: string) =>
  ConnectionsClient.query("connections", "get", { params: { id }, reactivityKeys: keys("connections") })

export const connectFunnelQuery = ({ from, to }: { readonly from: number; readonly to: number }) =>
  ConnectionsClient.query("connectFunnel", "get", {
    query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    reactivityKeys: keys("connections")
  })

/** Sessions that are looked at for the one that connected a device. */
const MOST_SESSIONS = 10

interface Linked {
  readonly id: string
  readonly referenceId: string
  readonly manufacturer: string
}

const findSession = (client: typeof ConnectionsClient.Service, { id: deviceId, referenceId, manufacturer }: Linked) =>
  Effect.gen(function* () {
    const sessions = yield* client.connections.list({
      query: {
        status: ["SUCCESS"],
        referenceId: [referenceId],
        manufacturer: [manufacturer],
        perPage: MOST_SESSIONS
      }
    })
    for (const { id } of sessions.data) {
      const detail = yield* client.connections.get({ params: { id } })
      if (detail.deviceIds.includes(deviceId)) return detail
    }
    return null
  })

/** The session that connected a device, newest first; null for one that no account links. */
export const deviceSessionQuery = Atom.family((device: Linked) =>
  ConnectionsClient.runtime
    .atom(ConnectionsClient.use((client) => findSession(client, device)))
    .pipe(dependingOn(keys("connections")))
)
