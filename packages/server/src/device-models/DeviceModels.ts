import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { CreateDeviceModel, DeviceModel, UpdateDeviceModel } from "@edp/domain/device-models/DeviceModel"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import {
  type DuplicateName,
  type Forbidden,
  NotFound,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { mergePatch } from "@edp/domain/errors/mergePatch"
import { validator } from "@edp/domain/errors/validator"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Result, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Manufacturers, ModelsOfManufacturer } from "../manufacturers/Manufacturers.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DeviceModelsRepository, type Filters } from "./DeviceModelsRepository.ts"
import { catalogueModels } from "./catalogue/deviceModels.ts"

type StaticState = Readonly<Record<string, unknown>>

const decoders = Object.fromEntries(
  Object.entries(staticStateSchemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<StaticState, unknown>, "staticState")
  ])
) as Record<DeviceType, ReturnType<typeof validator<StaticState>>>

/** Decodes the static state by device type. Unknown fields are dropped. */
const decodeStaticState = (type: DeviceType, value: StaticState): Effect.Effect<StaticState, ValidationError> => {
  const decoded = decoders[type](value, ["staticState"])
  return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(invalid(decoded.failure))
}

type Caller = CurrentKey["Service"]

/** The models of the manufacturers, with ratings and commands. */
export class DeviceModels extends Context.Service<
  DeviceModels,
  {
    readonly list: (
      query: Filters & { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<DeviceModel>, DatabaseUnavailable>
    /** The newest thousand, for a search among them. */
    readonly all: Effect.Effect<ReadonlyArray<DeviceModel>, DatabaseUnavailable>
    readonly get: (id: string) => Effect.Effect<DeviceModel, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateDeviceModel
    ) => Effect.Effect<DeviceModel, ValidationError | Forbidden | DuplicateName | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateDeviceModel
    ) => Effect.Effect<DeviceModel, ValidationError | NotFound | Forbidden | DuplicateName | DatabaseUnavailable>
    /** Adds missing models of the starter catalogue; operators' changes stay. */
    readonly loadCatalogue: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/DeviceModels") {
  static readonly layer = Layer.effect(
    DeviceModels,
    Effect.gen(function* () {
      const repository = yield* DeviceModelsRepository
      const manufacturers = yield* Manufacturers
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const one = Effect.flatMap(([model]: ReadonlyArray<DeviceModel>) =>
        model === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(model)
      )
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      return {
        get: Effect.fn("DeviceModels.get")((id) => one(repository.get(id))),
        list: Effect.fn("DeviceModels.list")((query) =>
          paginate(query, 10, (limit, offset) => repository.list(query, limit, offset), repository.count(query))
        ),
        all: repository.list({}, 1000, 0),
        create: Effect.fn("DeviceModels.create")(function* (caller, input) {
          const { manufacturer, name, type, commands = [] } = input
          const staticState = yield* decoded(type, input.staticState ?? null)
          const id = yield* ids.next
          const model = { id, manufacturer, name, type, staticState, commands: [...new Set(commands)] }
          return yield* Effect.gen(function* () {
            yield* manufacturers.requireOwn(caller, manufacturer)
            const [maker] = yield* repository.holdManufacturer(manufacturer)
            if (maker === undefined) {
              return yield* invalid({ manufacturer: "Is no manufacturer that the service knows" })
            }
            yield* refuse({ ...foreignType(type, maker.deviceTypes), ...foreignCommands(type, commands) })
            const [after] = yield* repository.insert(model, yield* now)
            yield* audit.record({ action: "device-model.create", resourceId: id, workspaceId: null, after: after! })
            return after!
          }).pipe(transaction)
        }),
        update: Effect.fn("DeviceModels.update")((caller, id, input) =>
          Effect.gen(function* () {
            const before = yield* one(repository.lock(id))
            yield* manufacturers.requireOwn(caller, before.manufacturer)
            yield* refuse(foreignCommands(before.type, input.commands ?? []))
            const changes = {
              ...input,
              ...(input.staticState !== undefined && {
                staticState: yield* decoded(before.type, mergedState(before.staticState, input.staticState))
              }),
              ...(input.commands !== undefined && { commands: [...new Set(input.commands)] })
            }
            const real = realChanges(before, changes)
            if (real === undefined) return before
            const after = yield* one(repository.update(id, real, yield* now))
            yield* audit.record({ action: "device-model.update", resourceId: id, workspaceId: null, before, after })
            return after
          }).pipe(transaction)
        ),
        loadCatalogue: Effect.gen(function* () {
          const at = yield* now
          // Reversed: lists show the newest first, and so show the catalogue in its order.
          const models = catalogueModels.toReversed().map((model) => ({ ...model, id: ids.nextAt(at.getTime()) }))
          yield* repository.insertMissing(models, at)
        }).pipe(Effect.withSpan("DeviceModels.loadCatalogue"))
      }
    })
  )
}

const foreignType = (type: DeviceType, types: ReadonlyArray<DeviceType>) =>
  types.includes(type) ? {} : { type: `Must be a device type of the manufacturer: ${types.join(", ")}` }

/** A command slug begins with the device type that supports it. */
const foreignCommands = (type: DeviceType, commands: ReadonlyArray<string>) =>
  Object.fromEntries(
    commands.flatMap((command, index) =>
      command.startsWith(`${type}:`) ? [] : [[`commands.${index}`, `Must be a command of the type ${type}`] as const]
    )
  )

const refuse = (details: Record<string, string>) =>
  Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))

const mergedState = (before: StaticState | null, patch: StaticState | null) =>
  mergePatch(before, patch) as StaticState | null

const decoded = (type: DeviceType, staticState: StaticState | null) =>
  staticState === null ? Effect.succeed(null) : decodeStaticState(type, staticState)

/** Loads the starter catalogue at every start, after the migrations. Concurrent starts are safe. */
export const loadCatalogue: Effect.Effect<void, DatabaseUnavailable, Manufacturers | DeviceModels> = Effect.gen(
  function* () {
    yield* (yield* Manufacturers).loadCatalogue
    yield* (yield* DeviceModels).loadCatalogue
  }
)

export const CatalogueLive = Layer.effectDiscard(loadCatalogue)

/** Implements the port of manufacturers. */
export const ManufacturerModelsLive = Layer.effect(
  ModelsOfManufacturer,
  Effect.map(DeviceModelsRepository, ({ typesBesides }) => ({ typesBesides }))
)
