import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { handlersOf } from "../../platform/http/handlersOf.ts"
import { KeptReadings } from "./KeptReadings.ts"

export const KeptReadingsHandlers = handlersOf(
  DashboardApi,
  "keptReadings",
  Effect.fn(function* (handlers) {
    const kept = yield* KeptReadings
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, kept.tell) })
  })
)
