import { type CatalogueModel, model } from "./CatalogueModel.ts"

/** Thermostats: what the product can; what it may in a home depends on the equipment wired to it. */
const thermostatModels: ReadonlyArray<CatalogueModel> = [
  ...["Smart Thermostat Premium", "Smart Thermostat Enhanced", "ecobee3 lite"].map((name) =>
    model("ecobee", "thermostat", name, {
      allowedModes: ["heat", "cool", "auto", "off"],
      allowedFanModes: ["auto", "on"]
    })
  ),
  ...["Nest Learning Thermostat", "Nest Thermostat"].map((name) =>
    model("google-nest", "thermostat", name, {
      allowedModes: ["heat", "cool", "auto", "eco", "off"],
      allowedFanModes: ["auto", "on"],
      minHeatSetpoint: 50,
      maxHeatSetpoint: 90,
      minCoolSetpoint: 50,
      maxCoolSetpoint: 90
    })
  ),
  ...["T6 Pro", "T9", "T10 Pro"].map((name) =>
    model("honeywell-home", "thermostat", name, {
      allowedModes: ["heat", "cool", "auto", "off"],
      allowedFanModes: ["auto", "on", "circulate"]
    })
  ),
  model("sensi", "thermostat", "Sensi Touch 2")
]

/** Electric water heaters. `tankGallons`: US gallons. */
const waterHeaterModels: ReadonlyArray<CatalogueModel> = [
  model("a-o-smith", "water_heater", "Voltex HPTS-50", { tankGallons: 50 }),
  model("a-o-smith", "water_heater", "Voltex HPTS-66", { tankGallons: 66 }),
  model("a-o-smith", "water_heater", "Voltex HPTS-80", { tankGallons: 80 }),
  model("bradford-white", "water_heater", "AeroTherm RE2H50", { tankGallons: 50 }),
  model("rheem", "water_heater", "ProTerra 50 gallon", { tankGallons: 50 }),
  model("rheem", "water_heater", "ProTerra 80 gallon", { tankGallons: 80 })
]

const meterModels: ReadonlyArray<CatalogueModel> = [
  model("emporia", "meter", "Vue 2"),
  model("emporia", "meter", "Vue 3"),
  model("sense", "meter", "Home Energy Monitor"),
  model("shelly", "meter", "EM"),
  model("shelly", "meter", "Pro 3EM"),
  model("sma", "meter", "Energy Meter 2.0")
]

export const homeModels: ReadonlyArray<CatalogueModel> = [...thermostatModels, ...waterHeaterModels, ...meterModels]
