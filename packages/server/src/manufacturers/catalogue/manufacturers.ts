import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { deviceTypes } from "@edp/domain/devices/DeviceType"

/** A manufacturer of the starter catalogue. */
export interface CatalogueManufacturer {
  readonly slug: string
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly connectable: boolean
  readonly directIntegration: boolean
  readonly logoUrl: string | null
}

/**
 * `directIntegration` allows keys of type MANUFACTURER with this slug. It is true for all: the operator of a fleet may
 * push its telemetry. `connectable` becomes true at the start for manufacturers whose adapters run. No logo ships: they are
 * trademarks.
 */
const manufacturer = (slug: string, name: string, types: ReadonlyArray<DeviceType>): CatalogueManufacturer => ({
  slug,
  name,
  deviceTypes: types,
  connectable: false,
  directIntegration: true,
  logoUrl: null
})

export const catalogueManufacturers: ReadonlyArray<CatalogueManufacturer> = [
  manufacturer("generic", "Generic", deviceTypes),
  manufacturer("simulator", "Simulator", deviceTypes),

  manufacturer("byd", "BYD", ["battery", "vehicle"]),
  manufacturer("enphase", "Enphase", ["battery", "inverter", "charger", "meter"]),
  manufacturer("franklinwh", "FranklinWH", ["battery", "meter"]),
  manufacturer("fronius", "Fronius", ["inverter", "battery", "charger", "meter"]),
  manufacturer("generac", "Generac", ["battery", "inverter", "meter", "other"]),
  manufacturer("goodwe", "GoodWe", ["inverter", "battery", "charger", "meter"]),
  manufacturer("huawei", "Huawei", ["inverter", "battery", "charger", "meter"]),
  manufacturer("lg", "LG", ["battery", "inverter", "thermostat", "water_heater"]),
  manufacturer("sma", "SMA", ["inverter", "battery", "charger", "meter"]),
  manufacturer("sol-ark", "Sol-Ark", ["inverter", "battery"]),
  manufacturer("solaredge", "SolarEdge", ["inverter", "battery", "charger", "meter"]),
  manufacturer("sonnen", "Sonnen", ["battery", "charger", "meter"]),
  manufacturer("sungrow", "Sungrow", ["inverter", "battery", "charger", "meter"]),
  manufacturer("tesla", "Tesla", ["battery", "inverter", "charger", "vehicle", "meter"]),

  manufacturer("ecobee", "ecobee", ["thermostat", "other"]),
  manufacturer("google-nest", "Google Nest", ["thermostat", "other"]),
  manufacturer("honeywell-home", "Honeywell Home", ["thermostat", "other"]),
  manufacturer("sensi", "Sensi", ["thermostat"]),

  manufacturer("chargepoint", "ChargePoint", ["charger"]),
  manufacturer("ocpp", "OCPP charging station", ["charger"]),
  manufacturer("easee", "Easee", ["charger", "meter"]),
  manufacturer("emporia", "Emporia", ["charger", "meter", "battery", "other"]),
  manufacturer("go-e", "go-e", ["charger", "meter"]),
  manufacturer("sense", "Sense", ["meter"]),
  manufacturer("shelly", "Shelly", ["meter", "other"]),
  manufacturer("wallbox", "Wallbox", ["charger", "meter"]),
  manufacturer("zaptec", "Zaptec", ["charger", "meter"]),

  manufacturer("a-o-smith", "A. O. Smith", ["water_heater"]),
  manufacturer("bradford-white", "Bradford White", ["water_heater"]),
  manufacturer("rheem", "Rheem", ["water_heater", "thermostat"]),

  manufacturer("bmw", "BMW", ["vehicle", "charger"]),
  manufacturer("chevrolet", "Chevrolet", ["vehicle"]),
  manufacturer("ford", "Ford", ["vehicle", "charger"]),
  manufacturer("hyundai", "Hyundai", ["vehicle"]),
  manufacturer("kia", "Kia", ["vehicle"]),
  manufacturer("nissan", "Nissan", ["vehicle"]),
  manufacturer("volkswagen", "Volkswagen", ["vehicle", "charger"])
]
