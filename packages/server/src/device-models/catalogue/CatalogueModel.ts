import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { staticStateSchemas } from "@edp/domain/devices/StaticState"

type StaticOf<T extends DeviceType> = (typeof staticStateSchemas)[T]["Type"]

/** A device model of the starter catalogue. */
export interface CatalogueModel {
  /** Identifies the model in repeated loads; never shown. It is derived from the name, so a released name must not change. */
  readonly key: string
  readonly manufacturer: string
  readonly name: string
  readonly type: DeviceType
  /** The initial static state of a device: one unit at its published rating. Null where no rating is published. */
  readonly staticState: StaticOf<DeviceType> | null
  readonly commands: ReadonlyArray<CommandSlug>
}

/** The default commands of a type. Only Tesla pairs keys, so most vehicles lack the pairing check. */
export const commandsByType: Record<DeviceType, ReadonlyArray<CommandSlug>> = {
  battery: ["battery:set-reserve", "battery:set-operating-mode"],
  charger: ["charger:set-operating-mode"],
  inverter: [],
  meter: [],
  thermostat: [
    "thermostat:set-operating-mode",
    "thermostat:set-fan-mode",
    "thermostat:pause-schedule",
    "thermostat:resume-schedule"
  ],
  vehicle: ["vehicle:set-charge-limit", "vehicle:set-operating-mode"],
  water_heater: [],
  other: [],
  unknown: []
}

/** Commands of vehicles that accept commands only from a paired key. */
export const pairedVehicleCommands: ReadonlyArray<CommandSlug> = [
  "vehicle:check-pairing-status",
  ...commandsByType.vehicle
]

const toSlug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll("+", " plus")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

/** `staticState` is checked against the variant of `type`; `commands` default to the type's. */
export const model = <const T extends DeviceType>(
  manufacturer: string,
  type: T,
  name: string,
  staticState: StaticOf<T> | null = null,
  commands: ReadonlyArray<CommandSlug> = commandsByType[type]
): CatalogueModel => ({ key: `${manufacturer}/${toSlug(name)}`, manufacturer, name, type, staticState, commands })
