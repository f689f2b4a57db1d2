import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { AlertConfigurations } from "./AlertConfigurations.ts"
import { Alerts } from "./Alerts.ts"

export const AlertsHandlers = groupHandlers(
  Api,
  "alerts",
  Effect.fn(function* (handlers) {
    const alerts = yield* Alerts
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => alerts.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => alerts.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => alerts.get(caller, params.id)),
      acknowledge: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => alerts.acknowledge(caller, params.id, payload)),
      ignore: ({ params }) => Effect.flatMap(CurrentKey, (caller) => alerts.ignore(caller, params.id)),
      resolve: ({ params }) => Effect.flatMap(CurrentKey, (caller) => alerts.resolve(caller, params.id)),
      ofDevice: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => alerts.ofDevice(caller, params.id, query))
    })
  })
)

export const AlertConfigurationHandlers = groupHandlers(
  DashboardApi,
  "alertConfiguration",
  Effect.fn(function* (handlers) {
    const configurations = yield* AlertConfigurations
    return handlers.handleAll({
      get: ({ query }) => Effect.flatMap(CurrentKey, (caller) => configurations.get(caller, query)),
      groups: ({ query }) => Effect.flatMap(CurrentKey, (caller) => configurations.groups(caller, query)),
      save: ({ payload, query }) => Effect.flatMap(CurrentKey, (caller) => configurations.save(caller, query, payload)),
      clear: ({ query }) => Effect.flatMap(CurrentKey, (caller) => configurations.clear(caller, query))
    })
  })
)
