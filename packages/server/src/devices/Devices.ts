import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Device, UpdateDevice } from "@edp/domain/devices/Device"
import {
  type DeletionProtectionEnabled,
  DeviceNotFound,
  type Forbidden,
  type SiteNotFound,
  type SiteNotInWorkspace
} from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { readable } from "./deviceAccess.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { type Changes, DevicesRepository } from "./DevicesRepository.ts"
import { type DeviceRow, toDevice } from "./toDevice.ts"

type Caller = CurrentKey["Service"]

/** Energy devices of any manufacturer. */
export class Devices extends Context.Service<
  Devices,
  {
    readonly get: (caller: Caller, id: string) => Effect.Effect<Device, DeviceNotFound | Forbidden>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateDevice
    ) => Effect.Effect<Device, DeviceNotFound | SiteNotFound | SiteNotInWorkspace>
    /** A directly integrated device keeps its identity without a workspace; another one is deleted whole. */
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, DeviceNotFound | DeletionProtectionEnabled>
    readonly linkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<Device, SiteNotFound | DeviceNotFound>
    readonly unlinkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<void, SiteNotFound | DeviceNotFound>
    /** Devices of any workspace, or of none, newest first, for those who know that their caller may see them. */
    readonly load: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Device>>
  }
>()("@edp/server/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const events = yield* DeviceEvents
      const workspaces = yield* Workspaces
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = transactionsOn(sql)

      const get = Effect.fnUntraced(function* (caller: Caller, id: string) {
        return toDevice(yield* readable(caller, yield* repository.byId(id, yield* now)))
      })

      /** Writes to a device and tells of the change. What writes answers nothing where there is nothing to change. */
      const change = Effect.fnUntraced(function* <E>(
        { workspaceId }: Caller,
        id: string,
        write: (at: Date, before: DeviceRow | undefined) => Effect.Effect<ReadonlyArray<unknown>, E>
      ) {
        const at = yield* now
        yield* repository.hold(workspaceId, id)
        const before = yield* repository.byId(id, at)
        const written = yield* write(at, before)
        if (before === undefined || written.length === 0) return yield* new DeviceNotFound({})
        const after = toDevice((yield* repository.byId(id, at))!)
        yield* events.changed(workspaceId, toDevice(before), after)
        return after
      })

      const update = (caller: Caller, id: string, changes: Changes) =>
        change(caller, id, (at, before) => {
          const real = before && realChanges(before, changes)
          // A device that is so already is written as little as one that is not there.
          if (real === undefined) return Effect.succeed(before === undefined ? [] : [before])
          return repository.update(caller.workspaceId, id, real, at)
        })

      /** Told before the device is gone. One that is disconnected already is not disconnected again. */
      const leaves = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string, at: Date) {
        const device = toDevice((yield* repository.byId(id, at))!)
        const [known] = yield* events.tell(workspaceId, [{ type: "DEVICE_DISCONNECTED", device }])
        yield* repository.keepDeparted(workspaceId, device, known!.data, at)
        if (device.disconnectedAt !== null) return
        yield* events.publish(workspaceId, [
          { type: "DEVICE_DISCONNECTED", device: { ...device, disconnectedAt: at.toISOString() } }
        ])
      })

      return {
        get: Effect.fn("Devices.get")(get),
        update: Effect.fn("Devices.update")(function* (caller, id, input) {
          const { siteId, tags } = input
          const changes = tags === undefined ? input : { ...input, tags: [...new Set(tags)] }
          if (siteId === undefined || siteId === null) return yield* transaction(update(caller, id, changes))
          return yield* transaction(
            Effect.gen(function* () {
              yield* repository.requireDevice(caller.workspaceId, id)
              yield* repository.requireGivenSite(caller.workspaceId, siteId)
              return yield* update(caller, id, changes)
            })
          )
        }),
        remove: Effect.fn("Devices.remove")(function* (caller, id) {
          yield* transaction(
            Effect.gen(function* () {
              const [device] = yield* repository.lock(caller.workspaceId, id)
              if (device === undefined) return yield* new DeviceNotFound({})
              yield* workspaces.requireDeletable(caller.workspaceId)
              const at = yield* now
              yield* leaves(caller, id, at)
              yield* device.direct ? repository.disassociate(id, at) : repository.remove(id)
            })
          )
        }),
        linkSite: Effect.fn("Devices.linkSite")((caller, siteId, id) =>
          Effect.andThen(repository.requireSite(caller.workspaceId, siteId), update(caller, id, { siteId })).pipe(
            transaction
          )
        ),
        unlinkSite: Effect.fn("Devices.unlinkSite")((caller, siteId, id) =>
          Effect.andThen(
            repository.requireSite(caller.workspaceId, siteId),
            change(caller, id, (at) => repository.unlink(caller.workspaceId, siteId, id, at))
          ).pipe(transaction, Effect.asVoid)
        ),
        load: Effect.fn("Devices.load")(function* (ids) {
          return (yield* repository.byIds(ids, yield* now)).map(toDevice)
        })
      }
    })
  )
}
