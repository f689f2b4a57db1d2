import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { ListedDevice } from "../accountRow.ts"

/** A device is gone after so many listings in a row without it: vendors leave devices out for a moment. */
export const MISSED_LISTINGS = 2

/** Devices that are gone are remembered up to this number. */
const MOST_GONE = 1000

/** A listing compared with the ones before. */
export interface Listing {
  /** The present devices and those that were listed before, to store. */
  readonly listed: ReadonlyArray<ListedDevice>
  /** Ids that were never listed before. A device that a person did not choose, or has deleted, was. */
  readonly additions: ReadonlyArray<string>
  /** Ids that have been left out often enough. */
  readonly gone: ReadonlySet<string>
}

export const listedDevices = (before: ReadonlyArray<ListedDevice>, found: ReadonlyArray<DiscoveredDevice>): Listing => {
  const known = new Set(before.map(({ manufacturerDeviceId }) => manufacturerDeviceId))
  const present = new Map(found.map((device) => [device.manufacturerDeviceId, device]))
  const missing = before
    .filter(({ manufacturerDeviceId }) => !present.has(manufacturerDeviceId))
    .map((device) => ({ ...device, missed: Math.min(MISSED_LISTINGS, (device.missed ?? 0) + 1) }))
    .slice(0, MOST_GONE)
  return {
    listed: [...present.values(), ...missing],
    additions: [...present.keys()].filter((id) => !known.has(id)),
    gone: new Set(
      missing.filter(({ missed }) => missed >= MISSED_LISTINGS).map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    )
  }
}
