import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { handlersOf } from "../platform/http/handlersOf.ts"
import { Alerts } from "./Alerts.ts"

export const AlertsHandlers = handlersOf(
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
