import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Annotations } from "./annotations/Annotations.ts"

export const AnnotationsHandlers = groupHandlers(
  DashboardApi,
  "annotations",
  Effect.fn(function* (handlers) {
    const annotations = yield* Annotations
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => annotations.list(caller, query))
    })
  })
)
