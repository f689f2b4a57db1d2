import type { DeviceType } from "@edp/domain/devices/DeviceType"

/** The device that readings of a file go to. */
export interface Target {
  readonly id: string
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
  /** Made by this import: it has no readings yet. */
  readonly isNew: boolean
}

/** How missing sites and devices are dealt with. */
export interface ImportOptions {
  readonly provision: boolean
  readonly manufacturer: string
  readonly timezone: string | undefined
  readonly address: string | undefined
  /** For devices of the general form that are missing: what they are, and the reference of the site where they are. */
  readonly deviceType: DeviceType | undefined
  readonly site: string | undefined
}
