import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Dispatches } from "./Dispatches.ts"

export const DispatchesHandlers = groupHandlers(
  Api,
  "dispatches",
  Effect.fn(function* (handlers) {
    const dispatches = yield* Dispatches
    return handlers.handleAll({
      list: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => dispatches.list(caller, params.id, query)),
      create: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.create(caller, params.id, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => dispatches.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.update(caller, params.id, payload)),
      cancel: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.cancel(caller, params.id, payload)),
      participants: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.participants(caller, params.id, query)),
      optOut: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.optOut(caller, params.id, params.siteId, payload))
    })
  })
)
