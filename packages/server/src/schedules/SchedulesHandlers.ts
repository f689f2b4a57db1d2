import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { FollowedSchedules } from "./FollowedSchedules.ts"
import { Schedules } from "./Schedules.ts"

export const SchedulesHandlers = groupHandlers(
  Api,
  "schedules",
  Effect.fn(function* (handlers) {
    const schedules = yield* Schedules
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => schedules.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => schedules.create(caller, payload)),
      preview: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => schedules.preview(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => schedules.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => schedules.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => schedules.remove(caller, params.id)),
      ofDevice: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => schedules.ofDevice(caller, params.id, query)),
      createOfDevice: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => schedules.createOfDevice(caller, params.id, payload))
    })
  })
)

export const FollowedSchedulesHandlers = groupHandlers(
  DashboardApi,
  "followedSchedules",
  Effect.fn(function* (handlers) {
    const followed = yield* FollowedSchedules
    return handlers.handleAll({
      list: ({ params }) => Effect.flatMap(CurrentKey, (caller) => followed.list(caller, params.id))
    })
  })
)
