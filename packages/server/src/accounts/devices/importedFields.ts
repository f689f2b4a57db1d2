import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"

/** A device's fields from its manufacturer. */
export interface ImportedFields {
  readonly name: string
  readonly type: DeviceType
  readonly model: string
  readonly serialNumber: string | null
  readonly rawType: string | null
  readonly rawModel: string | null
  readonly modelYear: number | null
  readonly staticState: object | null
  readonly commands: ReadonlyArray<string>
}

/** New values of a device. Undefined fields stay as they are. */
export interface DeviceFieldChanges extends Partial<ImportedFields> {
  readonly id: string
  readonly interventions?: ReadonlyArray<Intervention> | null
  /** When they were met, in milliseconds since 1970, if not now. */
  readonly interventionsAt?: number
}
