import { isDeepStrictEqual } from "node:util"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import { type DeviceChange, DeviceEvents } from "../../devices/DeviceEvents.ts"
import { Devices } from "../../devices/Devices.ts"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { changedNames } from "../../platform/sql/records.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { LinkedOwner } from "../../devices/linkedDeviceTable.ts"
import { AccountDevicesRepository } from "./AccountDevicesRepository.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { AccountWorkRepository } from "../AccountWorkRepository.ts"
import { DeviceTaken } from "../accountErrors.ts"
import type { AccountRow, ListedDevice } from "../accountRow.ts"
import type { DeviceFieldChanges } from "./importedFields.ts"
import { MISSED_LISTINGS, listedDevices } from "./listedDevices.ts"
import { importedFields, isImportable } from "./observedValues.ts"

/** Makes the devices of accounts the workspace's, and keeps them as their manufacturer lists them. */
export class DeviceImport extends Context.Service<
  DeviceImport,
  {
    /**
     * Connects the chosen ones of the listed devices. Devices that are connected by somebody else make it fail. Joins the caller's
     * transaction.
     */
    readonly connect: (
      owner: LinkedOwner,
      listed: ReadonlyArray<ListedDevice>,
      chosen: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, DeviceTaken | DatabaseUnavailable>
    /**
     * Compares a listing with the one before: connects devices that are new, changes those that differ, and disconnects those that
     * two listings in a row do not name. Without the claim, if one is given, nothing is written.
     */
    readonly compare: (
      account: AccountRow,
      devices: ReadonlyArray<DiscoveredDevice>,
      claim?: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Writes changes of devices and publishes them. Without the claim, if one is given, nothing is written. */
    readonly change: (
      account: Pick<AccountRow, "id" | "workspaceId">,
      changes: ReadonlyArray<DeviceFieldChanges>,
      claim?: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Notes that interventions of devices were seen again. */
    readonly dateInterventions: (
      seen: ReadonlyArray<{ readonly id: string; readonly at: Date }>
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Disconnects the account's connected devices. Joins the caller's transaction. */
    readonly disconnectAll: (
      account: Pick<AccountRow, "id" | "workspaceId">,
      now: Date,
      intervention?: Omit<Intervention, "blocks">
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Connects those again that were disconnected with the account. Joins the caller's transaction. */
    readonly reconnectAll: (
      account: Pick<AccountRow, "id" | "workspaceId" | "disconnectedAt">,
      now: Date
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/accounts/DeviceImport") {
  static readonly layer = Layer.effect(
    DeviceImport,
    Effect.gen(function* () {
      const repository = yield* AccountDevicesRepository
      const accounts = yield* AccountsRepository
      const work = yield* AccountWorkRepository
      const devices = yield* Devices
      const events = yield* DeviceEvents
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const now = Effect.map(Clock.currentTimeMillis, (at) => new Date(at))

      /** Publishes one kind of change of devices, as they are now. */
      const publish = Effect.fnUntraced(function* (
        workspaceId: string,
        deviceIds: ReadonlyArray<string>,
        ...types: ReadonlyArray<Exclude<DeviceChange["type"], "DEVICE_UPDATED">>
      ) {
        if (deviceIds.length === 0) return
        const loaded = yield* devices.load(deviceIds)
        yield* events.publish(
          workspaceId,
          loaded.flatMap((device) => types.map((type) => ({ type, device })))
        )
      })

      const isHeld = (accountId: string, claim: string | undefined) =>
        claim === undefined ? Effect.succeed(true) : work.holds(accountId, claim)

      /** The fields in which stored devices differ from a listing. People's own names stay. */
      const differences = (
        stored: ReadonlyArray<{ readonly id: string; readonly manufacturerDeviceId: string }>,
        listed: ReadonlyMap<string, DiscoveredDevice>,
        before: ReadonlyMap<string, DiscoveredDevice>
      ) =>
        stored.flatMap((device): ReadonlyArray<DeviceFieldChanges> => {
          const now = listed.get(device.manufacturerDeviceId)
          const then = before.get(device.manufacturerDeviceId)
          if (now === undefined || then === undefined) return []
          const [{ type: _, ...after }, earlier] = [importedFields(now), importedFields(then)]
          const changed = Object.entries(after).filter(
            ([field, value]) =>
              !isDeepStrictEqual(value, earlier[field as keyof typeof earlier]) &&
              !(field === "staticState" && value === null)
          )
          return changed.length === 0 ? [] : [{ id: device.id, ...Object.fromEntries(changed) }]
        })

      const write = Effect.fnUntraced(function* (
        workspaceId: string,
        changes: ReadonlyArray<DeviceFieldChanges>,
        namedBefore?: ReadonlyMap<string, string>
      ) {
        if (changes.length === 0) return
        const at = yield* now
        const held = new Set((yield* repository.hold(changes.map(({ id }) => id))).map(({ id }) => id))
        const real = changes.filter(({ id }) => held.has(id))
        const before = new Map((yield* devices.load(real.map(({ id }) => id))).map((device) => [device.id, device]))
        yield* Effect.forEach(
          real,
          ({ name, ...change }) => {
            const isOwnName = name !== undefined && before.get(change.id)?.name !== namedBefore?.get(change.id)
            return repository.update(name === undefined || isOwnName ? change : { ...change, name }, at)
          },
          { discard: true }
        )
        const after = yield* devices.load(real.map(({ id }) => id))
        yield* events.publish(
          workspaceId,
          after.flatMap((device): ReadonlyArray<DeviceChange> => {
            const changed = changedNames(before.get(device.id)!, device)
            return changed.length === 0 ? [] : [{ type: "DEVICE_UPDATED", device, changed }]
          })
        )
      })

      const connect = Effect.fnUntraced(function* (
        owner: LinkedOwner,
        listed: ReadonlyArray<ListedDevice>,
        chosen: ReadonlyArray<string>
      ) {
        const at = yield* now
        const wanted = new Set(chosen)
        const found = listed.filter((device) => wanted.has(device.manufacturerDeviceId) && isImportable(device))
        const known = yield* repository.known(
          owner,
          found.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
        )
        const taken = known.filter(({ isTaken }) => isTaken)
        if (taken.length > 0) {
          return yield* new DeviceTaken({
            manufacturerDeviceIds: taken.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
          })
        }
        const byId = new Map(known.map((device) => [device.manufacturerDeviceId, device]))
        const fresh = yield* Effect.forEach(
          found.filter(({ manufacturerDeviceId }) => !byId.has(manufacturerDeviceId)),
          (device) =>
            Effect.map(ids.next, (id) => ({
              id,
              manufacturerDeviceId: device.manufacturerDeviceId,
              ...importedFields(device)
            }))
        )
        const inserted = (yield* repository.insert(owner, fresh, at)).map(({ id }) => id)
        if (inserted.length < fresh.length) {
          // Another account stored the same device at this moment.
          const made = new Set(inserted)
          return yield* new DeviceTaken({
            manufacturerDeviceIds: fresh.filter(({ id }) => !made.has(id)).map((each) => each.manufacturerDeviceId)
          })
        }
        const back = known.map(({ id }) => id)
        yield* repository.restore(owner, back, at)
        yield* Effect.forEach(
          known,
          ({ id, manufacturerDeviceId }) => {
            const { name: _, ...fields } = importedFields(
              found.find((device) => device.manufacturerDeviceId === manufacturerDeviceId)!
            )
            const { staticState, ...others } = fields
            return repository.update({ id, ...others, ...(staticState !== null && { staticState }) }, at)
          },
          { discard: true }
        )
        const obstacles = [...fresh, ...known].flatMap(({ id, manufacturerDeviceId }) => {
          const { interventions = [] } = found.find((one) => one.manufacturerDeviceId === manufacturerDeviceId)!
          return interventions.length === 0 ? [] : [{ id, interventions }]
        })
        yield* Effect.forEach(obstacles, (change) => repository.update(change, at), { discard: true })
        yield* publish(owner.workspaceId, inserted, "DEVICE_DISCOVERED", "DEVICE_CONNECTED")
        yield* publish(owner.workspaceId, back, "DEVICE_CONNECTED")
        return [...inserted, ...back]
      })

      /** Devices that are new or listed again; one that somebody else has is left to them. */
      const connectFree = (
        account: AccountRow,
        listed: ReadonlyArray<ListedDevice>,
        chosen: ReadonlyArray<string>
      ): Effect.Effect<void, DatabaseUnavailable> =>
        chosen.length === 0
          ? Effect.void
          : transaction(connect(account, listed, chosen)).pipe(
              Effect.catchTag("DeviceTaken", ({ manufacturerDeviceIds }) => {
                const taken = new Set(manufacturerDeviceIds)
                return connectFree(
                  account,
                  listed,
                  chosen.filter((id) => !taken.has(id))
                )
              }),
              Effect.asVoid
            )

      const leave = Effect.fnUntraced(function* (workspaceId: string, deviceIds: ReadonlyArray<string>, at: Date) {
        if (deviceIds.length === 0) return
        yield* repository.disconnect(deviceIds, at)
        yield* publish(workspaceId, deviceIds, "DEVICE_DISCONNECTED")
      })

      return {
        connect,
        compare: Effect.fn("DeviceImport.compare")(function* ({ id }, found, claim) {
          yield* Effect.gen(function* () {
            const account = yield* accounts.lock(id)
            if (account === undefined || account.status !== "connected" || !(yield* isHeld(id, claim))) return
            const { additions, gone, listed } = listedDevices(account.discovered ?? [], found)
            yield* accounts.setDiscovered(id, listed)
            const present = new Map(found.map((device) => [device.manufacturerDeviceId, device]))
            const before = new Map((account.discovered ?? []).map((one) => [one.manufacturerDeviceId, one]))
            const connected = yield* repository.ofAccount(id, true)
            const left = yield* repository.ofAccount(id, false)
            const namedBefore = new Map(
              connected.flatMap(({ id, manufacturerDeviceId }) => {
                const listedBefore = before.get(manufacturerDeviceId)
                return listedBefore === undefined ? [] : [[id, importedFields(listedBefore).name] as const]
              })
            )
            yield* write(account.workspaceId, differences(connected, present, before), namedBefore)
            yield* leave(
              account.workspaceId,
              connected.filter(({ manufacturerDeviceId }) => gone.has(manufacturerDeviceId)).map((each) => each.id),
              yield* now
            )
            yield* connectFree(account, listed, [
              ...additions,
              ...left
                .map(({ manufacturerDeviceId }) => manufacturerDeviceId)
                .filter((one) => present.has(one) && (before.get(one)?.missed ?? 0) >= MISSED_LISTINGS)
            ])
          }).pipe(transaction)
        }),
        change: Effect.fn("DeviceImport.change")((account, changes, claim) =>
          Effect.flatMap(isHeld(account.id, claim), (held) =>
            held ? write(account.workspaceId, changes) : Effect.void
          ).pipe(transaction)
        ),
        dateInterventions: (seen) => Effect.asVoid(repository.dateInterventions(seen)),
        disconnectAll: Effect.fnUntraced(function* ({ id, workspaceId }, at, intervention) {
          const connected = (yield* repository.ofAccount(id, true)).map((device) => device.id)
          if (intervention !== undefined) yield* repository.addIntervention(connected, intervention, at)
          yield* leave(workspaceId, connected, at)
        }),
        reconnectAll: Effect.fnUntraced(function* ({ disconnectedAt, id, workspaceId }, at) {
          if (disconnectedAt === null) return
          const left = yield* repository.leftAt(id, disconnectedAt)
          yield* repository.removeIntervention(left, "sign_in_again")
          yield* repository.reconnect(left, at)
          yield* publish(workspaceId, left, "DEVICE_CONNECTED")
        })
      }
    })
  )
}
