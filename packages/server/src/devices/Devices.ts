import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Device, HistoryFilters, UpdateDevice } from "@edp/domain/devices/Device"
import {
  type DeletionProtectionEnabled,
  DeviceNotFound,
  Forbidden,
  type SiteNotFound,
  type SiteNotInWorkspace,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { batchedLookup } from "../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { type DeviceChanges, DevicesRepository } from "./DevicesRepository.ts"
import { type DeviceRow, toDevice } from "./deviceRow.ts"
import { isInScope } from "./deviceSelection.ts"

interface Owned {
  readonly workspaceId: string | null
  readonly referenceId: string
}

/** The device if the caller may read it: it must be in the caller's workspace and, for a SCOPED key, belong to its user. */
export const readable = <D extends Owned>(
  caller: CurrentKey["Service"],
  id: string,
  device: D | undefined
): Effect.Effect<D, DeviceNotFound | Forbidden> => {
  if (device === undefined || device.workspaceId !== caller.workspaceId) return Effect.fail(new DeviceNotFound({}))
  return isInScope(caller, id, device) ? Effect.succeed(device) : Effect.fail(new Forbidden({}))
}

type Caller = CurrentKey["Service"]

/** Energy devices of any manufacturer. */
export class Devices extends Context.Service<
  Devices,
  {
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Device, DeviceNotFound | Forbidden | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateDevice
    ) => Effect.Effect<Device, DeviceNotFound | SiteNotFound | SiteNotInWorkspace | DatabaseUnavailable>
    /** A directly integrated device keeps its identity without a workspace; any other device is deleted. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<void, DeviceNotFound | DeletionProtectionEnabled | DatabaseUnavailable>
    readonly linkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<Device, SiteNotFound | DeviceNotFound | DatabaseUnavailable>
    readonly unlinkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<void, SiteNotFound | DeviceNotFound | DatabaseUnavailable>
    /** Devices of any workspace or none, newest first. The caller must have checked that it may see them. */
    readonly load: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Device>, DatabaseUnavailable>
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

      /** Concurrent reads share a statement. */
      const find = yield* batchedLookup(
        (ids: ReadonlyArray<string>) =>
          Effect.map(
            Effect.flatMap(now, (at) => repository.byIds([...new Set(ids)], at)),
            (rows) => new Map(rows.map((row) => [row.id, row]))
          ).pipe(Effect.withSpan("Devices.find", { attributes: { devices: ids.length } })),
        (id) => id
      )

      const get = (caller: Caller, id: string) =>
        Effect.flatMap(find(id), (row) => Effect.map(readable(caller, id, row), toDevice))

      /** Writes to a device and publishes the change. `write` returns no rows if there is nothing to change. */
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

      const update = (caller: Caller, id: string, changes: DeviceChanges) =>
        change(caller, id, (at, before) => {
          const real = before && realChanges(before, changes)
          // Nothing is written if the device already has these values.
          if (real === undefined) return Effect.succeed(before === undefined ? [] : [before])
          return repository.update(caller.workspaceId, id, real, at)
        })

      /** Publishes the departure before the device is deleted, unless it is already disconnected. */
      const leaves = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string, at: Date) {
        const device = toDevice((yield* repository.byId(id, at))!)
        const [known] = yield* events.build(workspaceId, [{ type: "DEVICE_DISCONNECTED", device }])
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

type HistoryQuery = Schema.Struct.Type<typeof HistoryFilters>

/** A page of readings as JSON, and the cursor of the next page if there is one. */
export interface HistoryResponse {
  readonly body: Uint8Array
  readonly next: string | undefined
}

/** The readings of a device as it reported them. The slice `readings` implements it. */
export class DeviceHistory extends Context.Service<
  DeviceHistory,
  {
    readonly read: (
      caller: CurrentKey["Service"],
      id: string,
      query: HistoryQuery
    ) => Effect.Effect<HistoryResponse, ValidationError | DeviceNotFound | Forbidden | DatabaseUnavailable>
  }
>()("@edp/server/DeviceHistory") {}
