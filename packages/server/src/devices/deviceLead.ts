import type { DeviceSelection } from "./deviceSelection.ts"

/** The index that leads through a list: it has the devices of one condition in the list's order. */
export interface Lead {
  readonly from: "devices" | "device_tags"
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
  const { keyed, tags, connected, statuses, q } = selection
  const others = [tags, connected, statuses, q].filter((condition) => condition !== undefined).length
  const alone = keyed.length + others <= 1
  const [first] = keyed
  if (first !== undefined) return { ...everyDevice, ...first, alone }
  if (tags !== undefined) return { ...everyDevice, from: "device_tags", column: "tag", values: tags, alone }
  const whole = statuses === undefined && q === undefined
  return whole && connected === undefined ? everyDevice : { ...everyDevice, connected, alone: whole }
}
