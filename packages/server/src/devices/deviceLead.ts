import type { DeviceSelection } from "./deviceSelection.ts"

/** The index that leads through a list: it has the devices of one condition in the list's order. */
export interface Lead {
  readonly from: "devices" | "device_tags" | "customer_sites" | "collection_members"
  /** The column of the condition; undefined when all devices are led through, or those (dis)connected. */
  readonly column: string | undefined
  /** Any of them matches. */
  readonly values: ReadonlyArray<string>
  readonly connected: boolean | undefined
  /** Whether there is no other condition, so that whatever the index leads to belongs to the list. */
  readonly alone: boolean
}

/** Leads through all devices of a workspace. */
export const everyDevice: Lead = { from: "devices", column: undefined, values: [], connected: undefined, alone: true }

export const leadOf = (selection: DeviceSelection): Lead => {
  const { keyed, customerIds, collectionId, memberships, criteria, tags, connected, statuses, q } = selection
  const conditions = [customerIds, collectionId, memberships, criteria, tags, connected, statuses, q]
  const others = conditions.filter((condition) => condition !== undefined).length
  const alone = keyed.length + others <= 1
  const [first] = keyed
  // A customer has few devices, and no index of the other conditions knows whose they are.
  if (customerIds?.length === 1) {
    return { ...everyDevice, from: "customer_sites", column: "customer_id", values: customerIds, alone }
  }
  if (collectionId !== undefined) {
    return { ...everyDevice, from: "collection_members", column: "collection_id", values: [collectionId], alone }
  }
  if (first !== undefined) return { ...everyDevice, ...first, alone }
  if (tags !== undefined) return { ...everyDevice, from: "device_tags", column: "tag", values: tags, alone }
  const whole = [customerIds, memberships, criteria, statuses, q].every((condition) => condition === undefined)
  return whole && connected === undefined ? everyDevice : { ...everyDevice, connected, alone: whole }
}
