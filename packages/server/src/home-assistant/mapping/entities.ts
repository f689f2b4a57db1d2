import type { DeviceType } from "@edp/domain/devices/DeviceType"

/** A field of a device's state as an entity that only shows it. */
export interface ShownField {
  readonly field: string
  readonly platform: "sensor" | "binary_sensor"
  readonly name: string
  readonly deviceClass?: string
  readonly unit?: string
  readonly stateClass?: "measurement" | "total_increasing"
  /** The values of a choice, besides `unknown`. */
  readonly options?: ReadonlyArray<string>
}

const measured =
  (deviceClass: string, unit: string) =>
  (field: string, name: string): ShownField => ({
    field,
    platform: "sensor",
    name,
    deviceClass,
    unit,
    stateClass: "measurement"
  })

const power = measured("power", "W")
const stored = measured("energy_storage", "Wh")
const voltage = measured("voltage", "V")
const current = measured("current", "A")
const charge = measured("battery", "%")

/** A lifetime counter. Energies since the previous reading are not shown: Home Assistant computes them from counters. */
const counter = (field: string, name: string): ShownField => ({
  field,
  platform: "sensor",
  name,
  deviceClass: "energy",
  unit: "Wh",
  stateClass: "total_increasing"
})

/** A share in percent that is no charge. */
const share = (field: string, name: string): ShownField => ({
  field,
  platform: "sensor",
  name,
  unit: "%",
  stateClass: "measurement"
})

const choice = (field: string, name: string, options: ReadonlyArray<string>): ShownField => ({
  field,
  platform: "sensor",
  name,
  deviceClass: "enum",
  options
})

const flag = (field: string, name: string, deviceClass?: string): ShownField => ({
  field,
  platform: "binary_sensor",
  name,
  ...(deviceClass !== undefined && { deviceClass })
})

const charging = choice("chargingState", "Charging state", ["charging", "discharging", "idle"])

const grid = [
  choice("gridStatus", "Grid status", ["exporting", "importing", "idle"]),
  power("gridPower", "Grid power"),
  power("loadPower", "Load power")
]

const plug = [
  flag("isPluggedIn", "Plugged in", "plug"),
  voltage("chargerVoltage", "Voltage"),
  current("chargerCurrent", "Current"),
  power("chargerWattage", "Charging power"),
  counter("lifetimeEnergyCharged", "Energy charged")
]

/** The fields of the state of each type that are entities of their own; those of a thermostat belong to one `climate`. */
const fields: Readonly<Record<Exclude<DeviceType, "other" | "unknown">, ReadonlyArray<ShownField>>> = {
  battery: [
    charging,
    charge("chargePercentage", "Charge"),
    stored("charge", "Stored energy"),
    power("chargeRate", "Power"),
    share("backupReserve", "Backup reserve"),
    flag("isStormModeActive", "Storm mode active"),
    flag("isStormModeEnabled", "Storm mode enabled"),
    choice("strategy", "Strategy", ["self_consumption", "time_of_use", "backup"]),
    ...grid
  ],
  charger: [charging, ...plug],
  inverter: [power("power", "Power"), counter("lifetimeEnergyGenerated", "Energy generated"), ...grid],
  meter: [
    power("power", "Power"),
    counter("importedEnergy", "Energy imported"),
    counter("exportedEnergy", "Energy exported"),
    voltage("voltage", "Voltage"),
    current("current", "Current")
  ],
  thermostat: [],
  vehicle: [
    charging,
    charge("chargePercentage", "Charge"),
    stored("charge", "Stored energy"),
    measured("distance", "mi")("range", "Range"),
    share("chargeLimit", "Charge limit"),
    { field: "chargeCompletedAt", platform: "sensor", name: "Charge completed", deviceClass: "timestamp" },
    ...plug
  ],
  water_heater: [power("power", "Power"), share("availableHotWater", "Available hot water")]
}

/** The part of an entity's topic and id that stands for a field with a name that the source chose. */
export const entityKey = (field: string): string => field.replaceAll(/[^A-Za-z0-9_-]/g, "_")

type State = Readonly<Record<string, unknown>>

/** A field whose name and form the source chose. */
const freeField = (field: string, value: unknown): ShownField => ({
  field,
  platform: typeof value === "boolean" ? "binary_sensor" : "sensor",
  name: field,
  ...(typeof value === "number" && { stateClass: "measurement" as const })
})

const ownFields = new Set(["id", "createdAt"])

/** The fields that a device of a type can show, whether or not it does. */
export const possibleFields = (type: DeviceType, state: State): ReadonlyArray<ShownField> =>
  type === "other" || type === "unknown"
    ? Object.entries(state)
        .filter(([field]) => !ownFields.has(field))
        .map(([field, value]) => freeField(field, value))
    : fields[type]
