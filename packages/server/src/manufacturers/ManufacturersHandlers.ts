import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Manufacturers } from "./Manufacturers.ts"

export const ManufacturersHandlers = groupHandlers(
  Api,
  "manufacturers",
  Effect.fn(function* (handlers) {
    const manufacturers = yield* Manufacturers
    return handlers.handleAll({
      list: ({ query }) => manufacturers.list(query),
      get: ({ params }) => manufacturers.get(params.slug),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => manufacturers.create(caller, payload)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => manufacturers.update(caller, params.slug, payload))
    })
  })
)
