import { type DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"
import { type CatalogueModel, commandsOf, model, pairedVehicleCommands } from "./CatalogueModel.ts"

const words = (type: DeviceType) => type.replace("_", " ")
const commands = (type: DeviceType) => (type === "vehicle" ? pairedVehicleCommands : commandsOf[type])

/** Any device of no known make. Nothing is known of its ratings: they come with its provisioning. */
export const genericModels: ReadonlyArray<CatalogueModel> = deviceTypes.map((type) =>
  model("generic", type, `Generic ${words(type)}`, null, commands(type))
)

/** Devices that exist in software only, rated like a usual home's. */
export const simulatorModels: ReadonlyArray<CatalogueModel> = [
  model("simulator", "battery", "Simulated battery", {
    capacity: 13_500,
    maxChargeRate: 5000,
    maxDischargeRate: 5000,
    numberOfBatteries: 1
  }),
  model("simulator", "charger", "Simulated charger", { maxPower: 11_500, maxCurrent: 48 }),
  model("simulator", "inverter", "Simulated inverter", { power: 7600 }),
  model("simulator", "meter", "Simulated meter"),
  model("simulator", "thermostat", "Simulated thermostat", {
    allowedModes: ["heat", "cool", "auto", "eco", "off"],
    allowedFanModes: ["auto", "on", "off", "circulate"],
    minHeatSetpoint: 45,
    maxHeatSetpoint: 79,
    minCoolSetpoint: 65,
    maxCoolSetpoint: 92
  }),
  model("simulator", "vehicle", "Simulated vehicle", { capacity: 75_000 }, pairedVehicleCommands),
  model("simulator", "water_heater", "Simulated water heater", { tankGallons: 50 }),
  model("simulator", "other", "Simulated other"),
  model("simulator", "unknown", "Simulated unknown")
]
