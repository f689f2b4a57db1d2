import type { CreateDeviceModel, DeviceModel, UpdateDeviceModel } from "@edp/domain/device-models/DeviceModel"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type DuplicateName, NotFound, type ValidationError } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../sql/Ids.ts"
import { paginate } from "../sql/paginate.ts"
import { catalogueModels } from "./catalogue/deviceModels.ts"
import { decodeStaticState, type StaticState } from "./decodeStaticState.ts"
import { DeviceModelsRepository, type Filters } from "./DeviceModelsRepository.ts"

/** What manufacturers make, with ratings and commands. */
export class DeviceModels extends Context.Service<
  DeviceModels,
  {
    readonly list: (
      query: Filters & { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<DeviceModel>>
    readonly get: (id: string) => Effect.Effect<DeviceModel, NotFound>
    readonly create: (input: CreateDeviceModel) => Effect.Effect<DeviceModel, ValidationError | DuplicateName>
    readonly update: (
      id: string,
      input: UpdateDeviceModel
    ) => Effect.Effect<DeviceModel, ValidationError | NotFound | DuplicateName>
    /** Adds those of the starter catalogue that are missing; what an operator changed stays changed. */
    readonly loadCatalogue: Effect.Effect<void>
  }
>()("@edp/server/DeviceModels") {
  static readonly layer = Layer.effect(
    DeviceModels,
    Effect.gen(function* () {
      const repository = yield* DeviceModelsRepository
      const ids = yield* Ids
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const get = Effect.fn("DeviceModels.get")(function* (id: string) {
        const [model] = yield* repository.get(id)
        return model ?? (yield* new NotFound({}))
      })

      return {
        get,
        list: Effect.fn("DeviceModels.list")((query) =>
          paginate(query, 10, (limit, offset) => repository.list(query, limit, offset), repository.count(query))
        ),
        create: Effect.fn("DeviceModels.create")(function* (input) {
          const { manufacturer, name, type, commands = [] } = input
          const staticState = yield* decoded(type, input.staticState ?? null)
          const id = yield* ids.next
          const model = { id, manufacturer, name, type, staticState, commands: [...new Set(commands)] }
          const [created] = yield* repository.insert(model, yield* now)
          return created ?? (yield* invalid({ manufacturer: "Is no manufacturer that the service knows" }))
        }),
        update: Effect.fn("DeviceModels.update")(function* (id, input) {
          // The type of a model never changes, so what is decoded by it stays valid.
          const { type } = yield* get(id)
          const changes = {
            ...input,
            ...(input.staticState !== undefined && { staticState: yield* decoded(type, input.staticState) }),
            ...(input.commands !== undefined && { commands: [...new Set(input.commands)] })
          }
          const [model] = yield* repository.update(id, changes, yield* now)
          return model ?? (yield* new NotFound({}))
        }),
        loadCatalogue: Effect.gen(function* () {
          const at = yield* now
          // The list shows the newest first, and so the catalogue in its own order.
          const models = catalogueModels.toReversed().map((model) => ({ ...model, id: ids.nextAt(at.getTime()) }))
          yield* repository.insertMissing(models, at)
        }).pipe(Effect.withSpan("DeviceModels.loadCatalogue"))
      }
    })
  )
}

const decoded = (type: DeviceType, staticState: StaticState | null) =>
  staticState === null ? Effect.succeed(null) : decodeStaticState(type, staticState)
