import { type DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"
import { type CatalogueModel, commandsByType, model, pairedVehicleCommands } from "./CatalogueModel.ts"

/** Home batteries. Capacity is usable energy in Wh, rates are continuous power in W, of one unit. */
const batteryModels: ReadonlyArray<CatalogueModel> = [
  model("byd", "battery", "Battery-Box Premium HVM 11.0", { capacity: 11_040 }),
  model("byd", "battery", "Battery-Box Premium HVS 10.2", { capacity: 10_240 }),
  model("enphase", "battery", "IQ Battery 3", { capacity: 3360, maxChargeRate: 1280, maxDischargeRate: 1280 }),
  model("enphase", "battery", "IQ Battery 10", { capacity: 10_080, maxChargeRate: 3840, maxDischargeRate: 3840 }),
  model("enphase", "battery", "IQ Battery 5P", { capacity: 5000, maxChargeRate: 3840, maxDischargeRate: 3840 }),
  model("franklinwh", "battery", "aPower X", { capacity: 13_600, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("franklinwh", "battery", "aPower 2", { capacity: 15_000, maxDischargeRate: 10_000 }),
  model("generac", "battery", "PWRcell M3", { capacity: 9000 }),
  model("generac", "battery", "PWRcell M6", { capacity: 18_000 }),
  model("goodwe", "battery", "Lynx Home U LX U5.4-L"),
  model("huawei", "battery", "LUNA2000-5-S0", { capacity: 5000, maxChargeRate: 2500, maxDischargeRate: 2500 }),
  model("huawei", "battery", "LUNA2000-10-S0", { capacity: 10_000, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("lg", "battery", "RESU10H Prime", { capacity: 9600, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("lg", "battery", "RESU16H Prime", { capacity: 16_000, maxChargeRate: 7000, maxDischargeRate: 7000 }),
  model("solaredge", "battery", "Home Battery 400V", {
    capacity: 9700,
    maxChargeRate: 5000,
    maxDischargeRate: 5000
  }),
  model("sonnen", "battery", "sonnenCore", { capacity: 10_000, maxChargeRate: 4800, maxDischargeRate: 4800 }),
  model("sonnen", "battery", "sonnenBatterie 10"),
  model("tesla", "battery", "Powerwall 2", { capacity: 13_500, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("tesla", "battery", "Powerwall+", { capacity: 13_500 }),
  model("tesla", "battery", "Powerwall 3", { capacity: 13_500, maxChargeRate: 5000, maxDischargeRate: 11_500 })
]

const inverter = (manufacturer: string, name: string, power: number) => model(manufacturer, "inverter", name, { power })

/** Solar and hybrid inverters, rated by their continuous AC output in W. */
const inverterModels: ReadonlyArray<CatalogueModel> = [
  inverter("enphase", "IQ7 Plus Microinverter", 290),
  inverter("enphase", "IQ8 Plus Microinverter", 290),
  inverter("enphase", "IQ8M Microinverter", 325),
  // A whole array of microinverters reports as one: its power depends on how many there are.
  model("enphase", "inverter", "IQ System"),
  inverter("fronius", "Primo 5.0-1", 5000),
  inverter("fronius", "Primo 7.6-1", 7600),
  inverter("fronius", "Primo GEN24 6.0 Plus", 6000),
  inverter("fronius", "Symo GEN24 10.0 Plus", 10_000),
  inverter("generac", "PWRcell Inverter XVT076A03", 7600),
  inverter("goodwe", "GW10K-ET", 10_000),
  inverter("huawei", "SUN2000-5KTL-L1", 5000),
  inverter("huawei", "SUN2000-10KTL-M1", 10_000),
  inverter("sma", "Sunny Boy 5.0", 5000),
  inverter("sma", "Sunny Boy 7.7-US", 7680),
  inverter("sma", "Sunny Tripower 10.0", 10_000),
  inverter("sol-ark", "15K-2P-N", 15_000),
  inverter("solaredge", "SE3800H", 3800),
  inverter("solaredge", "SE5000H", 5000),
  inverter("solaredge", "SE7600H", 7600),
  inverter("solaredge", "SE10000H", 10_000),
  inverter("sungrow", "SG5.0RS", 5000),
  inverter("sungrow", "SH10RT", 10_000),
  inverter("tesla", "Solar Inverter 3.8 kW", 3800),
  inverter("tesla", "Solar Inverter 7.6 kW", 7600)
]

/** `maxCurrent` in A, `maxPower` in W. */
const charger = (manufacturer: string, name: string, maxCurrent: number, maxPower: number) =>
  model(manufacturer, "charger", name, { maxCurrent, maxPower })

const chargerModels: ReadonlyArray<CatalogueModel> = [
  charger("chargepoint", "Home Flex", 50, 12_000),
  charger("easee", "Home", 32, 22_000),
  charger("emporia", "EV Charger", 48, 11_500),
  charger("ford", "Charge Station Pro", 80, 19_200),
  charger("go-e", "Charger Gemini 11 kW", 16, 11_000),
  charger("go-e", "Charger Gemini 22 kW", 32, 22_000),
  charger("tesla", "Wall Connector (Gen 3)", 48, 11_500),
  charger("wallbox", "Pulsar Plus 40 A", 40, 9600),
  charger("wallbox", "Pulsar Plus 48 A", 48, 11_500),
  charger("zaptec", "Go", 32, 22_000),
  charger("zaptec", "Pro", 32, 22_000)
]

/** Capacity in Wh, as the maker publishes it. Null where the maker publishes none or it varies by model year. */
const vehicle = (manufacturer: string, name: string, capacity: number | null = null) =>
  model(manufacturer, "vehicle", name, capacity === null ? null : { capacity })

const tesla = (name: string) => model("tesla", "vehicle", name, null, pairedVehicleCommands)

const vehicleModels: ReadonlyArray<CatalogueModel> = [
  vehicle("bmw", "i4"),
  vehicle("bmw", "iX"),
  vehicle("chevrolet", "Bolt EV"),
  vehicle("chevrolet", "Bolt EUV", 65_000),
  vehicle("chevrolet", "Equinox EV", 85_000),
  vehicle("ford", "F-150 Lightning Standard Range", 98_000),
  vehicle("ford", "F-150 Lightning Extended Range", 131_000),
  vehicle("ford", "Mustang Mach-E"),
  vehicle("hyundai", "IONIQ 5"),
  vehicle("hyundai", "IONIQ 6"),
  vehicle("hyundai", "Kona Electric"),
  vehicle("kia", "EV6"),
  vehicle("kia", "EV9 Long Range", 99_800),
  vehicle("kia", "Niro EV", 64_800),
  vehicle("nissan", "LEAF 40 kWh", 40_000),
  vehicle("nissan", "Ariya 87 kWh", 87_000),
  tesla("Model 3"),
  tesla("Model S"),
  tesla("Model X"),
  tesla("Model Y"),
  tesla("Cybertruck"),
  vehicle("volkswagen", "ID.4")
]

const mobilityModels: ReadonlyArray<CatalogueModel> = [...chargerModels, ...vehicleModels]

/** Thermostats with the modes of the product; the equipment of a home may support fewer. */
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

const homeModels: ReadonlyArray<CatalogueModel> = [...thermostatModels, ...waterHeaterModels, ...meterModels]

const words = (type: DeviceType) => type.replace("_", " ")
const commands = (type: DeviceType) => (type === "vehicle" ? pairedVehicleCommands : commandsByType[type])

/** Devices of any manufacturer. Their ratings are given when a device is provisioned. */
const genericModels: ReadonlyArray<CatalogueModel> = deviceTypes.map((type) =>
  model("generic", type, `Generic ${words(type)}`, null, commands(type))
)

/** Simulated devices, with ratings typical of a home. */
const simulatorModels: ReadonlyArray<CatalogueModel> = [
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

/** The starter catalogue: facts only (names, types, published capacities and ratings). */
export const catalogueModels: ReadonlyArray<CatalogueModel> = [
  ...genericModels,
  ...simulatorModels,
  ...batteryModels,
  ...inverterModels,
  ...mobilityModels,
  ...homeModels
]
