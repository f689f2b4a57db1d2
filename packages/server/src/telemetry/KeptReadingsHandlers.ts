import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeptReadings } from "./KeptReadings.ts"

export const KeptReadingsHandlers = HttpApiBuilder.group(
  DashboardApi,
  "keptReadings",
  Effect.fn(function* (handlers) {
    const kept = yield* KeptReadings
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, kept.tell) })
  })
)
