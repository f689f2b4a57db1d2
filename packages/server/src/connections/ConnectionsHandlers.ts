import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { ConnectedAccounts } from "./operators/ConnectedAccounts.ts"
import { ConnectFunnels } from "./operators/ConnectFunnels.ts"
import { Connections } from "./Connections.ts"

export const ConnectionsHandlers = groupHandlers(
  Api,
  "connections",
  Effect.fn(function* (handlers) {
    const connections = yield* Connections
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => connections.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => connections.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => connections.get(caller, params.id)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => connections.remove(caller, params.id))
    })
  })
)

export const ConnectFunnelHandlers = groupHandlers(
  DashboardApi,
  "connectFunnel",
  Effect.fn(function* (handlers) {
    const funnels = yield* ConnectFunnels
    return handlers.handleAll({
      get: ({ query }) => Effect.flatMap(CurrentKey, (caller) => funnels.get(caller, query))
    })
  })
)

export const ConnectedAccountsHandlers = groupHandlers(
  DashboardApi,
  "connectedAccounts",
  Effect.fn(function* (handlers) {
    const accounts = yield* ConnectedAccounts
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => accounts.list(caller, query))
    })
  })
)
