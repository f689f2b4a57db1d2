import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Customers } from "./Customers.ts"
import { CustomersBulk } from "./CustomersBulk.ts"

export const CustomersHandlers = groupHandlers(
  Api,
  "customers",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const bulk = yield* CustomersBulk
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => customers.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => customers.create(caller, payload)),
      createMany: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => bulk.create(caller, payload)),
      get: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => customers.get(caller, params.id, query.include)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => customers.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => customers.remove(caller, params.id)),
      linkSite: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => customers.linkSite(caller, params.id, params.customerId)),
      unlinkSite: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => customers.unlinkSite(caller, params.id, params.customerId))
    })
  })
)
