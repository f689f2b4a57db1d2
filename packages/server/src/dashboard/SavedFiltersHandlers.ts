import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { SavedFilters } from "./SavedFilters.ts"

export const SavedFiltersHandlers = groupHandlers(
  DashboardApi,
  "savedFilters",
  Effect.fn(function* (handlers) {
    const filters = yield* SavedFilters
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => filters.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => filters.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => filters.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => filters.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => filters.remove(caller, params.id))
    })
  })
)
