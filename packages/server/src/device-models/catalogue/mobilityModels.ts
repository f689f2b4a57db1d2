import { type CatalogueModel, model, pairedVehicleCommands } from "./CatalogueModel.ts"

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

export const mobilityModels: ReadonlyArray<CatalogueModel> = [...chargerModels, ...vehicleModels]
