import { BulkReading } from "@edp/domain/direct-integration/DirectIntegration"
import { validator } from "@edp/domain/errors/validator"
import { Result } from "effect"
import { type Details, hasAny, noDetails } from "./details.ts"
import type { DeviceReference } from "./directDevice.ts"
import { takenAt, type Window } from "./untypedChecks.ts"

/** An item of a bulk push, as far as it can be understood without its device. */
export interface BulkItem {
  readonly index: number
  readonly reading: BulkReading
  readonly at: number
  /** The device's id, or what its manufacturer calls it. */
  readonly device: string | DeviceReference
}

export interface BadItem {
  readonly index: number
  readonly details: Details
}

interface Caller {
  readonly workspaceId: string
  readonly manufacturerScope: ReadonlyArray<string> | null
}

const decode = validator(BulkReading, "reading")

const deviceOf = (reading: BulkReading, caller: Caller, details: Details): BulkItem["device"] | undefined => {
  const { deviceId, manufacturerDeviceId } = reading
  if (deviceId !== undefined) {
    if (manufacturerDeviceId !== undefined) details.manufacturerDeviceId = "Must be absent where there is deviceId"
    return deviceId
  }
  if (manufacturerDeviceId === undefined) {
    details.deviceId = "Is required, or else manufacturerDeviceId"
    return undefined
  }
  const [first, ...others] = caller.manufacturerScope ?? []
  const manufacturer = reading.manufacturer ?? (others.length === 0 ? first : undefined)
  if (manufacturer === undefined) {
    details.manufacturer = "Is required, because the key's scope has several manufacturers"
    return undefined
  }
  return { workspaceId: caller.workspaceId, manufacturer, manufacturerDeviceId }
}

export const bulkItem = (item: unknown, index: number, caller: Caller, window: Window): BulkItem | BadItem => {
  const decoded = decode(item)
  if (Result.isFailure(decoded)) return { index, details: decoded.failure }
  const reading = decoded.success
  const details = noDetails()
  const at = takenAt(reading, window, [], details)
  const device = deviceOf(reading, caller, details)
  return device === undefined || hasAny(details) ? { index, details } : { index, reading, at, device }
}
