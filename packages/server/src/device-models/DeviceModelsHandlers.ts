import { Api } from "@edp/domain/Api"
import { Effect } from "effect"
import { handlersOf } from "../http/handlersOf.ts"
import { DeviceModels } from "./DeviceModels.ts"

export const DeviceModelsHandlers = handlersOf(
  Api,
  "deviceModels",
  Effect.fn(function* (handlers) {
    const models = yield* DeviceModels
    return handlers.handleAll({
      list: ({ query }) => models.list(query),
      get: ({ params }) => models.get(params.id),
      create: ({ payload }) => models.create(payload),
      update: ({ params, payload }) => models.update(params.id, payload)
    })
  })
)
