import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { HomeAssistantPublications } from "./HomeAssistantPublications.ts"

export const HomeAssistantPublicationsHandlers = groupHandlers(
  Api,
  "homeAssistantPublications",
  Effect.fn(function* (handlers) {
    const publications = yield* HomeAssistantPublications
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => publications.list(caller, query)),
      create: ({ payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => publications.create(caller, query, payload)),
      get: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => publications.get(caller, params.id, query)),
      update: ({ params, payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => publications.update(caller, params.id, query, payload)),
      remove: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => publications.remove(caller, params.id, query))
    })
  })
)
