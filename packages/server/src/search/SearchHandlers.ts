import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Search } from "./Search.ts"

export const SearchHandlers = groupHandlers(
  Api,
  "search",
  Effect.fn(function* (handlers) {
    const search = yield* Search
    return handlers.handleAll({
      find: ({ query }) => Effect.flatMap(CurrentKey, (caller) => search.find(caller, query))
    })
  })
)
