import type { Customer } from "@edp/domain/customers/Customer"
import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { Context, Effect, Layer } from "effect"
import { Customers } from "../customers/Customers.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Sites } from "../sites/Sites.ts"
import { changedNames } from "../platform/sql/records.ts"
import { customersOf, type DeviceChange, deviceEvents } from "./deviceChange.ts"
import { DevicesRepository } from "./DevicesRepository.ts"

/** Tells what happens to devices, in the transaction in which it does. */
export class DeviceEvents extends Context.Service<
  DeviceEvents,
  {
    /** What is told of devices of one workspace: whose they are and where, too, as it is now. */
    readonly tell: (
      workspaceId: string,
      changes: ReadonlyArray<DeviceChange>
    ) => Effect.Effect<ReturnType<typeof deviceEvents<Customer, Site>>>
    /** For devices of one workspace. One that is about to be deleted is told of before. */
    readonly publish: (workspaceId: string, changes: ReadonlyArray<DeviceChange>) => Effect.Effect<void>
    /** Tells of a device that was changed, unless it was changed into what it was. */
    readonly changed: (workspaceId: string, before: Device, after: Device) => Effect.Effect<void>
  }
>()("@edp/server/DeviceEvents") {
  static readonly layer = Layer.effect(
    DeviceEvents,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const customers = yield* Customers
      const sites = yield* Sites
      const outbox = yield* EventOutbox

      const tell = Effect.fnUntraced(function* (workspaceId: string, changes: ReadonlyArray<DeviceChange>) {
        const owners = yield* repository.owners(changes.map(({ device }) => device.id))
        const siteIds = [...new Set(changes.flatMap(({ device }) => device.siteId ?? []))]
        const [owning, around] = [
          yield* customers.byIds(workspaceId, customersOf(owners)),
          yield* sites.byIds(workspaceId, siteIds)
        ]
        return deviceEvents(workspaceId, changes, owners, owning, around)
      })
      const publish = (workspaceId: string, changes: ReadonlyArray<DeviceChange>) =>
        Effect.flatMap(tell(workspaceId, changes), outbox.publish)

      return {
        tell,
        publish,
        changed: (workspaceId, before, after) => {
          const changed = changedNames(before, after)
          return changed.length === 0
            ? Effect.void
            : publish(workspaceId, [{ type: "DEVICE_UPDATED", device: after, changed }])
        }
      }
    })
  )
}
