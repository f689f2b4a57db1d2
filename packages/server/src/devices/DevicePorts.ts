import type { Site } from "@edp/domain/sites/Site"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Customers, DevicesOfCustomer } from "../customers/Customers.ts"
import { DeviceIdsOfCustomer } from "../customers/DeviceIdsPort.ts"
import { Ids } from "../platform/Ids.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { changedNames } from "../platform/sql/records.ts"
import { DevicesOfSite } from "../sites/Sites.ts"
import type { SiteChange } from "../sites/siteRow.ts"
import { distinctCustomerIds, deviceEvents } from "./DeviceEvents.ts"
import { DeviceListRepository, chooseIndex } from "./DeviceListRepository.ts"
import { DevicesRepository, SiteChangesRepository } from "./DevicesRepository.ts"
import { customerDeviceIds } from "./deviceTable.ts"
import { BATCH, movedDevices } from "./SiteChanges.ts"
import { listedDevice, toDevice } from "./deviceRow.ts"
import { customerSelection } from "./deviceSelection.ts"

/** Implements the port of sites. */
export const SiteDevicesLive = Layer.effect(
  DevicesOfSite,
  Effect.gen(function* () {
    const repository = yield* DevicesRepository
    const customers = yield* Customers
    const outbox = yield* EventOutbox
    const changes = yield* SiteChangesRepository
    const ids = yield* Ids

    const leaveSome = Effect.fnUntraced(function* (workspaceId: string, siteId: string) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const ids = yield* repository.holdAtSite(siteId, BATCH)
      if (ids.length === 0) return false
      const before = new Map((yield* repository.byIds(ids, now)).map((row) => [row.id, toDevice(row)]))
      yield* repository.leaveSite(ids, now)
      const after = (yield* repository.byIds(ids, now)).map(toDevice)
      const changes = after.map((device) => ({
        type: "DEVICE_UPDATED" as const,
        device,
        changed: changedNames(before.get(device.id)!, device)
      }))
      const owners = yield* repository.owners(ids)
      const owning = yield* customers.byIds(workspaceId, distinctCustomerIds(owners))
      yield* outbox.publish(deviceEvents(workspaceId, changes, owners, owning, []))
      return ids.length === BATCH
    })

    const publishChange = Effect.fnUntraced(function* (site: Site, change: SiteChange) {
      const { id: siteId, workspaceId } = site
      const now = new Date(yield* Clock.currentTimeMillis)
      const found = yield* repository.holdAtSite(siteId, BATCH)
      if (found.length === 0) return
      const moved = movedDevices(yield* repository.byIds(found, now), change)
      const owners = yield* repository.owners(found)
      const owning = yield* customers.byIds(workspaceId, distinctCustomerIds(owners))
      yield* outbox.publish(deviceEvents(workspaceId, moved, owners, owning, [site]))
      if (found.length < BATCH) return
      yield* changes.insert(yield* ids.next, siteId, found.at(-1)!, change)
    })

    return {
      publishChange: Effect.fn("DevicesOfSite.publishChange")(publishChange),
      leave: Effect.fn("DevicesOfSite.leave")((workspaceId, siteId) =>
        Effect.asVoid(Effect.repeat(leaveSome(workspaceId, siteId), { while: (more) => more }))
      )
    }
  })
)

/** Lets customers list the ids of their devices in their own statements. */
export const CustomerDeviceIdsLive = Layer.effect(
  DeviceIdsOfCustomer,
  Effect.map(SqlClient.SqlClient, (sql) => (workspaceId, customerId) => customerDeviceIds(sql, workspaceId, customerId))
)

/** Implements the port of customers. */
export const CustomerDevicesLive = Layer.effect(
  DevicesOfCustomer,
  Effect.gen(function* () {
    const lists = yield* DeviceListRepository
    return {
      newest: Effect.fn("DevicesOfCustomer.newest")(function* (workspaceId, customerId, limit, include) {
        const window = { limit, offset: 0, before: undefined }
        const index = chooseIndex(customerSelection(workspaceId, customerId))
        const now = new Date(yield* Clock.currentTimeMillis)
        return (yield* lists.list(workspaceId, index, window, now)).map(listedDevice(include))
      })
    }
  })
)
