import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Device } from "@edp/domain/devices/Device"
import type { ProvisionDevice } from "@edp/domain/direct-integration/DirectIntegration"
import {
  DeviceModelManufacturerMismatch,
  DeviceModelNotFound,
  ParameterMismatch,
  ServiceUnavailable,
  SiteNotFound,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { HistoryDeletion } from "../retention/HistoryDeletion.ts"
import { DeviceEvents } from "../../devices/DeviceEvents.ts"
import { Devices } from "../../devices/Devices.ts"
import { Ids } from "../../platform/Ids.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { ModelFields } from "../../device-models/deviceModelTable.ts"
import { DirectIntegrationRepository } from "./DirectIntegrationRepository.ts"
import { type GivenFields, givenFields, mismatchedFields, withDefaults } from "./provisioned.ts"

type Caller = CurrentKey["Service"]

/** Attempts at a device that other requests change at the same time. */
const MOST_TRIES = 10

/** A provisioning request with valid fields. */
interface Request {
  readonly caller: Caller
  readonly manufacturerDeviceId: string
  readonly given: GivenFields
  readonly model: ModelFields
  readonly at: Date
}

interface Settled {
  readonly id: string
  readonly created: boolean
}

type Conflict = SiteNotFound | DeviceModelManufacturerMismatch | ParameterMismatch

export interface ProvisionResult {
  readonly device: Device
  /** Whether this request added the device to the workspace. */
  readonly created: boolean
}

/** Provisions manufacturers' devices in a workspace; repeating a request changes nothing. */
export class Provisioning extends Context.Service<
  Provisioning,
  {
    readonly provision: (
      caller: Caller,
      input: ProvisionDevice
    ) => Effect.Effect<ProvisionResult, ValidationError | DeviceModelNotFound | Conflict | ServiceUnavailable>
  }
>()("@edp/server/Provisioning") {
  static readonly layer = Layer.effect(
    Provisioning,
    Effect.gen(function* () {
      const repository = yield* DirectIntegrationRepository
      const devices = yield* Devices
      const events = yield* DeviceEvents
      const history = yield* HistoryDeletion
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)

      const requireModel = (id: string) =>
        Effect.flatMap(repository.model(id), ([model]) =>
          model === undefined ? Effect.fail(new DeviceModelNotFound({})) : Effect.succeed(model)
        )

      const requireSite = ({ caller, given }: Request) =>
        Effect.flatMap(repository.lockSite(caller.workspaceId, given.siteId), (sites) =>
          sites.length === 0 ? Effect.fail(new SiteNotFound({})) : Effect.void
        )

      const makeDevice = ({ caller, manufacturerDeviceId, given, model, at }: Request, id: string) => ({
        id,
        workspaceId: caller.workspaceId,
        manufacturer: model.manufacturer,
        manufacturerDeviceId,
        model,
        sent: withDefaults(given, model, id),
        at
      })

      const publishEvents = Effect.fnUntraced(function* (
        { caller }: Request,
        id: string,
        ...types: ReadonlyArray<"DEVICE_DISCOVERED" | "DEVICE_CONNECTED">
      ) {
        const [device] = yield* devices.load([id])
        yield* events.publish(
          caller.workspaceId,
          types.map((type) => ({ type, device: device! }))
        )
      })

      /** One of several concurrent first requests inserts; the others wait for it and compare. */
      const insertOrCompare = Effect.fnUntraced(function* (request: Request) {
        const { caller, given, model } = request
        yield* requireSite(request)
        if (caller.manufacturerScope?.includes(model.manufacturer) !== true) {
          return yield* new DeviceModelManufacturerMismatch({})
        }
        const device = makeDevice(request, yield* ids.next)
        const [inserted] = yield* repository.insert(device)
        if (inserted !== undefined) {
          yield* publishEvents(request, inserted.id, "DEVICE_DISCOVERED", "DEVICE_CONNECTED")
          return { id: inserted.id, as: "new" as const }
        }
        const [existing] = yield* repository.existing(device)
        if (existing === undefined) return undefined
        if (existing.workspaceId === null) return { id: existing.id, as: "removed" as const }
        const mismatched = mismatchedFields(given, existing.last)
        if (mismatched.length > 0) return yield* new ParameterMismatch({ mismatchedFields: mismatched })
        return { id: existing.id, as: "known" as const }
      })

      /** Returns whether this request associated the device again. */
      const restore = Effect.fnUntraced(function* (request: Request, id: string) {
        yield* history.delete(id)
        const associate = Effect.gen(function* () {
          yield* requireSite(request)
          const associated = yield* repository.associate(makeDevice(request, id))
          if (associated.length > 0) yield* publishEvents(request, id, "DEVICE_CONNECTED")
          return associated.length > 0
        })
        return yield* transaction(associate)
      })

      const settle = Effect.fnUntraced(function* (
        request: Request
      ): Effect.fn.Return<Settled, Conflict | ServiceUnavailable> {
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const found = yield* transaction(insertOrCompare(request))
          if (found?.as === "new" || found?.as === "known") return { id: found.id, created: found.as === "new" }
          if (found !== undefined && (yield* restore(request, found.id))) return { id: found.id, created: true }
          // Another request was faster: the next attempt finds the device as that one left it.
        }
        return yield* new ServiceUnavailable({ message: "Other requests keep changing the device; try again" })
      })

      return {
        provision: Effect.fn("Provisioning.provision")(function* (caller, input) {
          const model = yield* requireModel(input.deviceModelId)
          const given = yield* givenFields(input, model.type)
          const at = new Date(yield* Clock.currentTimeMillis)
          const { manufacturerDeviceId } = input
          const { id, created } = yield* settle({ caller, manufacturerDeviceId, given, model, at })
          const [device] = yield* devices.load([id])
          // A device disappears only with its workspace, and then its sites are deleted too.
          return device === undefined ? yield* new SiteNotFound({}) : { device, created }
        })
      }
    })
  )
}
