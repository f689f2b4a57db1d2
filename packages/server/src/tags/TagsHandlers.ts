import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Tags } from "./Tags.ts"

export const TagsHandlers = HttpApiBuilder.group(
  Api,
  "tags",
  Effect.fn(function* (handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => tags.list(caller, query))
    })
  })
)
