import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { handlersOf } from "../platform/http/handlersOf.ts"
import { AlertConfigurations } from "./AlertConfigurations.ts"

export const AlertConfigurationHandlers = handlersOf(
  DashboardApi,
  "alertConfiguration",
  Effect.fn(function* (handlers) {
    const configurations = yield* AlertConfigurations
    return handlers.handleAll({
      get: ({ query }) => Effect.flatMap(CurrentKey, (caller) => configurations.get(caller, query)),
      save: ({ payload, query }) => Effect.flatMap(CurrentKey, (caller) => configurations.save(caller, query, payload)),
      clear: ({ query }) => Effect.flatMap(CurrentKey, (caller) => configurations.clear(caller, query))
    })
  })
)
