import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"

/** A device as far as commands need it. */
export interface CommandDevice {
  readonly id: string
  /** Null once the device was removed from its workspace. */
  readonly workspaceId: string | null
  readonly type: DeviceType
  readonly manufacturer: string
  readonly manufacturerDeviceId: string
  readonly referenceId: string
  /** Provisioned by direct integration. */
  readonly direct: boolean
  readonly accountId: string | null
  readonly commands: ReadonlyArray<CommandSlug>
  readonly staticState: object | null
  readonly interventions: ReadonlyArray<Intervention> | null
  readonly disconnectedAt: Date | null
  readonly readingId: string | null
  /** Time of the newest reading. */
  readonly at: Date | null
  readonly state: object | null
  /** The beginning of the device's last forced mode with stored settings. */
  readonly forcedAt: Date | null
}
