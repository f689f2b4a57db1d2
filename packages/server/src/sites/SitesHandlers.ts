import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Sites } from "./Sites.ts"
import { SitesBulk } from "./SitesBulk.ts"

export const SitesHandlers = groupHandlers(
  Api,
  "sites",
  Effect.fn(function* (handlers) {
    const sites = yield* Sites
    const bulk = yield* SitesBulk
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => sites.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => sites.create(caller, payload)),
      createMany: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => bulk.create(caller, payload)),
      get: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => sites.get(caller, params.id, query.include)),
      update: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => sites.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => sites.remove(caller, params.id))
    })
  })
)
