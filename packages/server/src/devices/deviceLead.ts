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

export const leadOf = (selection: DeviceSelection): Lead => {
  const { keyed, customerId, collectionId, criteria, tags, connected, statuses, q } = selection
  const conditions = [customerId, collectionId, criteria, tags, connected, statuses, q]
  const others = conditions.filter((condition) => condition !== undefined).length
  const alone = keyed.length + others <= 1
  const [first] = keyed
  // A customer has few devices, and no index of the other conditions knows whose they are.
  if (customerId !== undefined) {
    return { from: "customer_sites", column: "customer_id", values: [customerId], connected: undefined, alone }
  }
  if (collectionId !== undefined) {
    return { from: "collection_members", column: "collection_id", values: [collectionId], connected: undefined, alone }
  }
  if (first !== undefined) return { from: "devices", ...first, connected: undefined, alone }
  if (tags !== undefined) return { from: "device_tags", column: "tag", values: tags, connected: undefined, alone }
  const whole = statuses === undefined && q === undefined && criteria === undefined
  return { from: "devices", column: undefined, values: [], connected, alone: whole }
}
