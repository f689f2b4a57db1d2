import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { SystemHealth } from "./health/SystemHealth.ts"

export const SystemHealthHandlers = groupHandlers(
  DashboardApi,
  "health",
  Effect.fn(function* (handlers) {
    const health = yield* SystemHealth
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, (caller) => health.get(caller)) })
  })
)
