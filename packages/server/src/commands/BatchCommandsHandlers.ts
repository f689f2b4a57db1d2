import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { BatchCommands } from "./batches/BatchCommands.ts"

export const BatchCommandsHandlers = groupHandlers(
  Api,
  "batchCommands",
  Effect.fn(function* (handlers) {
    const batches = yield* BatchCommands
    return handlers.handleAll({
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => batches.create(caller, payload)),
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => batches.list(caller, query)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.get(caller, params.id)),
      cancel: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.cancel(caller, params.id)),
      retryFailed: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.retryFailed(caller, params.id))
    })
  })
)
