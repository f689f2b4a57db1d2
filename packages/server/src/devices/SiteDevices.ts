import { Clock, Effect, Layer } from "effect"
import { Customers } from "../customers/Customers.ts"
import { EventOutbox } from "../events/EventOutbox.ts"
import { DevicesOfSite } from "../sites/DevicesOfSite.ts"
import { changedNames } from "../sql/changedNames.ts"
import { customersOf, deviceEvents } from "./deviceChange.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { toDevice } from "./toDevice.ts"

/** So many devices leave a site, and are told of, at a time. */
const BATCH = 500

/** What sites ask of devices. */
export const SiteDevicesLive = Layer.effect(
  DevicesOfSite,
  Effect.gen(function* () {
    const repository = yield* DevicesRepository
    const customers = yield* Customers
    const outbox = yield* EventOutbox

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
      const owning = yield* customers.byIds(workspaceId, customersOf(owners))
      yield* outbox.publish(deviceEvents(workspaceId, changes, owners, owning, []))
      return ids.length === BATCH
    })

    return {
      leave: Effect.fn("DevicesOfSite.leave")((workspaceId, siteId) =>
        Effect.asVoid(Effect.repeat(leaveSome(workspaceId, siteId), { while: (more) => more }))
      )
    }
  })
)
