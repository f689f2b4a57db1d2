import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Names } from "./Names.ts"

export const NamesHandlers = groupHandlers(
  DashboardApi,
  "names",
  Effect.fn(function* (handlers) {
    const names = yield* Names
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => names.list(caller, query))
    })
  })
)
