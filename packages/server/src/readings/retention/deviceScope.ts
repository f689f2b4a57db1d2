import type { DeviceType } from "@edp/domain/devices/DeviceType"

/** The devices of a type in a workspace, which share a retention. */
export interface DeviceScope {
  readonly workspaceId: string
  readonly deviceType: DeviceType
}
