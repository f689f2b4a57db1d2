import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { staticStateSchemas } from "@edp/domain/devices/StaticState"

type StaticOf<T extends DeviceType> = (typeof staticStateSchemas)[T]["Type"]

/** A device model of the starter catalogue. */
export interface CatalogueModel {
  /** By it a repeated load finds the model; it is never shown. It follows from the name, so a shipped name stays. */
  readonly key: string
  readonly manufacturer: string
  readonly name: string
  readonly type: DeviceType
  /** What a device of the model starts with: one unit, at its published rating. Null where none is published or sure. */
  readonly staticState: StaticOf<DeviceType> | null
  readonly commands: ReadonlyArray<CommandSlug>
}

/** The commands that make sense for a type. Pairing a key is Tesla's matter, so most vehicles lack its check. */
export const commandsOf: Record<DeviceType, ReadonlyArray<CommandSlug>> = {
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

/** The vehicle commands of makers whose cars take commands only from a paired key. */
export const pairedVehicleCommands: ReadonlyArray<CommandSlug> = ["vehicle:check-pairing-status", ...commandsOf.vehicle]

const slugOf = (name: string) =>
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
  commands: ReadonlyArray<CommandSlug> = commandsOf[type]
): CatalogueModel => ({ key: `${manufacturer}/${slugOf(name)}`, manufacturer, name, type, staticState, commands })
