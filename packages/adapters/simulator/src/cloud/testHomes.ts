import { type SimulatedType, simulatedTypes } from "@edp/domain/accounts/Simulator"
import type { DeviceIdentity, SiteProfile } from "../physics/SiteProfile.ts"
import { hash } from "../physics/random.ts"

const names: Readonly<Record<SimulatedType, string>> = {
  battery: "Garage battery",
  charger: "Driveway charger",
  inverter: "Roof",
  meter: "Main meter",
  thermostat: "Hallway",
  vehicle: "Family car",
  water_heater: "Water heater"
}

export const allTypes: ReadonlyArray<SimulatedType> = simulatedTypes

/**
 * The home of a test account: the same house with the same sun, and the devices that the account is to have. `number` tells the
 * homes apart.
 */
export const testHome = (
  accountId: string,
  number: number,
  startsAt: number,
  types: ReadonlyArray<SimulatedType>,
  keyPaired: boolean
): SiteProfile => {
  const device = (type: SimulatedType): { readonly device: DeviceIdentity } => ({
    device: {
      id: `sim-${accountId}-${type.replace("_", "-")}`,
      name: names[type],
      serialNumber: `SIM-${hash(number, 1, allTypes.indexOf(type)).toString(16).toUpperCase().padStart(8, "0")}`
    }
  })
  const has = (type: SimulatedType) => types.includes(type)
  return {
    id: `sim-${accountId}`,
    name: `${100 + number} Acacia Lane`,
    address: {
      streetOne: `${100 + number} Acacia Lane`,
      city: "Davis",
      state: "CA",
      postalCode: "95616",
      country: "USA"
    },
    seed: hash(number, 2, 0),
    location: { latitude: 38.5449, longitude: -121.7405 },
    utcOffsetMinutes: -480,
    startsAt,
    climate: { seed: 1, meanTemperature: 62, seasonalSwing: 14, dailySwing: 13, cloudiness: 0.22 },
    household: { basePower: 300, activity: 1 },
    tariff: { offPeak: { from: 0, to: 360 }, peak: { from: 960, to: 1260 } },
    ...(has("inverter") && {
      inverter: { ...device("inverter"), power: 7600, panelPower: 8000, tilt: 20, azimuth: 10, metersGrid: true }
    }),
    ...(has("battery") && {
      battery: {
        ...device("battery"),
        capacity: 13_500,
        maxChargeRate: 5000,
        maxDischargeRate: 5000,
        numberOfBatteries: 1,
        roundTripEfficiency: 0.9,
        chargesFromGrid: true,
        stormModeEnabled: true,
        strategy: "self_consumption",
        backupReserve: 20,
        initialPercentage: 50
      }
    }),
    ...(has("meter") && { meter: device("meter") }),
    ...(has("thermostat") && {
      thermostat: {
        ...device("thermostat"),
        allowedModes: ["heat", "cool", "auto", "eco", "off"],
        allowedFanModes: ["auto", "on", "circulate"],
        minHeatSetpoint: 45,
        maxHeatSetpoint: 85,
        minCoolSetpoint: 60,
        maxCoolSetpoint: 95,
        mode: "auto",
        fanMode: "auto",
        schedule: [
          { minute: 360, heatTarget: 68, coolTarget: 76 },
          { minute: 1320, heatTarget: 64, coolTarget: 79 }
        ],
        power: 2600,
        heatingPerformance: 3,
        coolingPerformance: 3.4,
        heatLoss: 140,
        heatCapacity: 2800,
        windowArea: 6
      }
    }),
    ...(has("water_heater") && {
      waterHeater: {
        ...device("water_heater"),
        volume: 189,
        mode: "heat_pump",
        targetTemperature: 125,
        elementPower: 4500,
        heatPumpPower: 450,
        performance: 3.2,
        heatLoss: 1.6
      }
    }),
    ...(has("charger") && { charger: { ...device("charger"), maxCurrent: 40, window: null } }),
    ...(has("vehicle") && {
      vehicle: {
        ...device("vehicle"),
        capacity: 75_000,
        whPerMile: 280,
        maxCurrent: 48,
        commuteMiles: 40,
        initialPercentage: 40,
        chargeLimit: 80,
        keyRequired: true,
        keyPaired
      }
    })
  }
}
