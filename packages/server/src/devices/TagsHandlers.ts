import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { handlersOf } from "../platform/http/handlersOf.ts"
import { Tags } from "./Tags.ts"

export const TagsHandlers = handlersOf(
  Api,
  "tags",
  Effect.fn(function* (handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => tags.list(caller, query))
    })
  })
)
