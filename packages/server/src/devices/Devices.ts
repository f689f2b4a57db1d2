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
import { inTransaction } from "../sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { readable } from "./deviceAccess.ts"
import { type Changes, DevicesRepository } from "./DevicesRepository.ts"
import { ForgottenHistories } from "./ForgottenHistories.ts"
import { toDevice } from "./toDevice.ts"

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
      const workspaces = yield* Workspaces
      const histories = yield* ForgottenHistories
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.provideService(inTransaction(effect), SqlClient.SqlClient, sql)

      const get = Effect.fnUntraced(function* (caller: Caller, id: string) {
        return toDevice(yield* readable(caller, yield* repository.byId(id, yield* now)))
      })

      const change = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string, changes: Changes) {
        const at = yield* now
        const changed = yield* repository.update(workspaceId, id, changes, at)
        const row = changed.length === 0 ? undefined : yield* repository.byId(id, at)
        return row === undefined ? yield* new DeviceNotFound({}) : toDevice(row)
      })

      return {
        get: Effect.fn("Devices.get")(get),
        update: Effect.fn("Devices.update")(function* (caller, id, input) {
          const { siteId, tags } = input
          const changes = tags === undefined ? input : { ...input, tags: [...new Set(tags)] }
          if (siteId === undefined || siteId === null) return yield* change(caller, id, changes)
          return yield* transaction(
            Effect.gen(function* () {
              yield* repository.requireDevice(caller.workspaceId, id)
              yield* repository.requireGivenSite(caller.workspaceId, siteId)
              return yield* change(caller, id, changes)
            })
          )
        }),
        remove: Effect.fn("Devices.remove")(function* (caller, id) {
          yield* transaction(
            Effect.gen(function* () {
              const [device] = yield* repository.lock(caller.workspaceId, id)
              if (device === undefined) return yield* new DeviceNotFound({})
              yield* workspaces.requireDeletable(caller.workspaceId)
              yield* device.direct ? repository.disassociate(id, yield* now) : repository.remove(id)
            })
          )
          yield* histories.wake
        }),
        linkSite: Effect.fn("Devices.linkSite")((caller, siteId, id) =>
          Effect.andThen(repository.requireSite(caller.workspaceId, siteId), change(caller, id, { siteId })).pipe(
            transaction
          )
        ),
        unlinkSite: Effect.fn("Devices.unlinkSite")(function* (caller, siteId, id) {
          yield* repository.requireSite(caller.workspaceId, siteId)
          const unlinked = yield* repository.unlink(caller.workspaceId, siteId, id, yield* now)
          if (unlinked.length === 0) return yield* new DeviceNotFound({})
        }),
        load: Effect.fn("Devices.load")(function* (ids) {
          return (yield* repository.byIds(ids, yield* now)).map(toDevice)
        })
      }
    })
  )
}
