import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { DeviceModels } from "./DeviceModels.ts"

export const DeviceModelsHandlers = groupHandlers(
  Api,
  "deviceModels",
  Effect.fn(function* (handlers) {
    const models = yield* DeviceModels
    return handlers.handleAll({
      list: ({ query }) => models.list(query),
      get: ({ params }) => models.get(params.id),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => models.create(caller, payload)),
      update: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => models.update(caller, params.id, payload))
    })
  })
)
