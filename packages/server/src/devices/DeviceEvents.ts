import type { Customer } from "@edp/domain/customers/Customer"
import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { Context, Effect, Layer } from "effect"
import { Customers } from "../customers/Customers.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { changedNames } from "../platform/sql/records.ts"
import { Sites } from "../sites/Sites.ts"
import { DevicesRepository } from "./DevicesRepository.ts"

/** A change of a device that events report. */
export interface DeviceChange {
  readonly type: "DEVICE_CONNECTED" | "DEVICE_DISCONNECTED" | "DEVICE_DISCOVERED" | "DEVICE_UPDATED"
  readonly device: Device
  /** Names of the changed fields, for DEVICE_UPDATED. */
  readonly changed?: ReadonlyArray<string>
}

interface Named {
  readonly id: string
}

interface Owner {
  readonly id: string
  readonly customerId: string | null
}

const byId = <A extends Named>(records: ReadonlyArray<A>) => new Map(records.map((record) => [record.id, record]))

/** Events about devices, with the owner and the site of each. */
export const deviceEvents = <Customer extends Named, Site extends Named>(
  workspaceId: string,
  changes: ReadonlyArray<DeviceChange>,
  owners: ReadonlyArray<Owner>,
  customers: ReadonlyArray<Customer>,
  sites: ReadonlyArray<Site>
) => {
  const [ownersById, customersById, sitesById] = [byId(owners), byId(customers), byId(sites)]
  return changes.map(({ changed = [], device, type }) => {
    const customer = customersById.get(ownersById.get(device.id)?.customerId ?? "") ?? null
    const data = { device, customer, site: sitesById.get(device.siteId ?? "") ?? null }
    return type === "DEVICE_UPDATED" ? { type, workspaceId, data: { ...data, changed } } : { type, workspaceId, data }
  })
}

/** The customers that the devices belong to. */
export const distinctCustomerIds = (owners: ReadonlyArray<Owner>): ReadonlyArray<string> => [
  ...new Set(owners.flatMap(({ customerId }) => customerId ?? []))
]

/** Publishes events about devices in the transaction that changes them. */
export class DeviceEvents extends Context.Service<
  DeviceEvents,
  {
    /** The events for changes in one workspace, with the current owners and sites. */
    readonly build: (
      workspaceId: string,
      changes: ReadonlyArray<DeviceChange>
    ) => Effect.Effect<ReturnType<typeof deviceEvents<Customer, Site>>, DatabaseUnavailable>
    /** Publishes changes in one workspace. Call it before a device is deleted. */
    readonly publish: (
      workspaceId: string,
      changes: ReadonlyArray<DeviceChange>
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Publishes DEVICE_UPDATED if any field differs. */
    readonly changed: (workspaceId: string, before: Device, after: Device) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/DeviceEvents") {
  static readonly layer = Layer.effect(
    DeviceEvents,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const customers = yield* Customers
      const sites = yield* Sites
      const outbox = yield* EventOutbox

      const build = Effect.fnUntraced(function* (workspaceId: string, changes: ReadonlyArray<DeviceChange>) {
        const owners = yield* repository.owners(changes.map(({ device }) => device.id))
        const siteIds = [...new Set(changes.flatMap(({ device }) => device.siteId ?? []))]
        const [owning, around] = [
          yield* customers.byIds(workspaceId, distinctCustomerIds(owners)),
          yield* sites.byIds(workspaceId, siteIds)
        ]
        return deviceEvents(workspaceId, changes, owners, owning, around)
      })
      const publish = (workspaceId: string, changes: ReadonlyArray<DeviceChange>) =>
        Effect.flatMap(build(workspaceId, changes), outbox.publish)

      return {
        build,
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
