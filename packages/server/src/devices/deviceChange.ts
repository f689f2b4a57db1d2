import type { Device } from "@edp/domain/devices/Device"

/** What happened to a device. */
export interface DeviceChange {
  readonly type: "DEVICE_CONNECTED" | "DEVICE_DISCONNECTED" | "DEVICE_DISCOVERED" | "DEVICE_UPDATED"
  readonly device: Device
  /** Of DEVICE_UPDATED: names of the fields that have changed. */
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

/** What is told of a device: whose it is and where, too. */
export const deviceEvents = <Customer extends Named, Site extends Named>(
  workspaceId: string,
  changes: ReadonlyArray<DeviceChange>,
  owners: ReadonlyArray<Owner>,
  customers: ReadonlyArray<Customer>,
  sites: ReadonlyArray<Site>
) => {
  const [ownerOf, customerOf, siteOf] = [byId(owners), byId(customers), byId(sites)]
  return changes.map(({ changed = [], device, type }) => {
    const customer = customerOf.get(ownerOf.get(device.id)?.customerId ?? "") ?? null
    const data = { device, customer, site: siteOf.get(device.siteId ?? "") ?? null }
    return type === "DEVICE_UPDATED" ? { type, workspaceId, data: { ...data, changed } } : { type, workspaceId, data }
  })
}

/** The customers that the devices belong to. */
export const customersOf = (owners: ReadonlyArray<Owner>): ReadonlyArray<string> => [
  ...new Set(owners.flatMap(({ customerId }) => customerId ?? []))
]
