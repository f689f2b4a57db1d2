import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Sites } from "./Sites.ts"

export const SitesHandlers = HttpApiBuilder.group(
  Api,
  "sites",
  Effect.fn(function* (handlers) {
    const sites = yield* Sites
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => sites.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => sites.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => sites.get(caller, params.id)),
      update: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => sites.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => sites.remove(caller, params.id))
    })
  })
)
