import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import {
  DeviceNotAssociated,
  DeviceNotFound,
  DeviceNotOemDirect,
  ManufacturerNotAllowed
} from "@edp/domain/errors/ApiErrors"
import { Exit, Schema } from "effect"

/** A manufacturer's name for its device, unique in the workspace in which the device was provisioned. */
export interface DeviceReference {
  readonly workspaceId: string
  readonly manufacturer: string
  readonly manufacturerDeviceId: string
}

/** The fields of a device that telemetry needs. */
export const DirectDevice = Schema.Struct({
  id: Schema.String,
  type: DeviceType,
  manufacturer: Schema.String,
  manufacturerDeviceId: Schema.String,
  direct: Schema.Boolean,
  /** Null once the device was removed. */
  workspaceId: Schema.NullOr(Schema.String),
  originWorkspaceId: Schema.String
})
export type DirectDevice = typeof DirectDevice.Type

export type Refusal = DeviceNotFound | ManufacturerNotAllowed | DeviceNotOemDirect | DeviceNotAssociated

/**
 * The device if the caller may push its telemetry, else the error of the first failed check. A removed device belongs to
 * no workspace, so any key of its manufacturer may know of it; a device of another workspace does not exist for the caller.
 */
export const pushable = (
  caller: Pick<CurrentKey["Service"], "workspaceId" | "manufacturerScope">,
  device: DirectDevice | undefined
): Exit.Exit<DirectDevice, Refusal> => {
  if (device === undefined) return Exit.fail(new DeviceNotFound({}))
  const { workspaceId, originWorkspaceId, manufacturer } = device
  if (workspaceId !== null && workspaceId !== caller.workspaceId) return Exit.fail(new DeviceNotFound({}))
  if (caller.manufacturerScope?.includes(manufacturer) !== true) {
    return Exit.fail(originWorkspaceId === caller.workspaceId ? new ManufacturerNotAllowed({}) : new DeviceNotFound({}))
  }
  if (!device.direct) return Exit.fail(new DeviceNotOemDirect({}))
  return workspaceId === null ? Exit.fail(new DeviceNotAssociated({})) : Exit.succeed(device)
}
