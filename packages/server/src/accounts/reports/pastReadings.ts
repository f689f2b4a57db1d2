import type { PastReading } from "@edp/adapter-kit/Account"
import type { AccountDevice } from "../../devices/linkedDeviceRow.ts"
import { checkState } from "../devices/observedValues.ts"
import { isTimely, type NewReading } from "./reportedChanges.ts"

/** Readings to store, and sentences about those that were left out. */
export interface PastReadings {
  readonly readings: ReadonlyArray<NewReading>
  readonly problems: ReadonlyArray<string>
}

/**
 * Readings of the past of connected devices, in the order of their times. Those that are older than what is kept are left out without a
 * word: an account has as much history as its manufacturer shows.
 *
 * @param keptFrom Older readings of a type are not kept: milliseconds since 1970.
 */
export const pastReadings = (
  history: ReadonlyArray<PastReading>,
  devices: ReadonlyMap<string, AccountDevice>,
  now: number,
  keptFrom: (deviceType: string) => number
): PastReadings => {
  const readings: Array<NewReading> = []
  const problems = new Set<string>()
  const earliest = new Map<string, number>()
  for (const { at: given, manufacturerDeviceId, state } of history) {
    const device = devices.get(manufacturerDeviceId)
    if (device === undefined || !device.isConnected) continue
    const { type } = device
    if (!earliest.has(type)) earliest.set(type, keptFrom(type))
    const at = Math.round(given)
    if (Number.isFinite(at) && at < earliest.get(type)!) continue
    const checked = checkState(type, state)
    for (const problem of checked.problems) problems.add(`${manufacturerDeviceId}: ${problem}`)
    if (checked.value === undefined) continue
    if (isTimely(at, now, earliest.get(type)!)) {
      readings.push({ deviceId: device.id, type, at, state: checked.value, reportedStatus: null, location: null })
    } else problems.add(`${manufacturerDeviceId}: a past reading has no time, one before 2000 or one ahead`)
  }
  return { readings: readings.sort((one, other) => one.at - other.at), problems: [...problems] }
}
