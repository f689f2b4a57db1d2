import { commandType } from "../commands/commandInputs.ts"
import type { Device } from "../devices/Device.ts"
import { exampleIds } from "../shared/Cuid.ts"

const taken = "2026-03-01T12:00:00.000Z"

const recorded = { id: exampleIds.reading, createdAt: taken }

const common = {
  referenceId: "home-1",
  manufacturer: "generic",
  rawType: null,
  rawModel: null,
  modelYear: null,
  location: {
    address: {
      streetOne: "1 Capitol Mall",
      streetTwo: null,
      city: "Sacramento",
      state: "CA",
      postalCode: "95814",
      country: "USA",
      county: null,
      hashedAddress: "6b1f8a0c2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccdde"
    },
    coordinates: { latitude: 38.5767, longitude: -121.4934 }
  },
  availableCommands: [],
  interventions: [],
  tags: ["pilot"],
  createdAt: "2026-02-01T08:00:00.000Z",
  updatedAt: "2026-02-01T08:00:00.000Z",
  connectedAt: "2026-02-01T08:00:00.000Z",
  disconnectedAt: null,
  onlineStatus: "online",
  lastOnlineAt: taken
} as const

const named = (name: string, model: string, manufacturerDeviceId: string) => ({
  id: exampleIds.device,
  siteId: exampleIds.site,
  name,
  manufacturerDeviceId,
  serialNumber: `SN-${manufacturerDeviceId}`,
  model,
  ...common
})

/** A device of each type as the service returns it, under the name of its component. */
export const deviceExamples = {
  InverterDevice: {
    ...named("Roof inverter", "Generic inverter", "INV-0001"),
    type: "inverter",
    state: { ...recorded, power: 3200, lifetimeEnergyGenerated: 1204500, gridStatus: "exporting", gridPower: -1400 },
    staticState: { power: 5000 }
  },
  BatteryDevice: {
    ...named("Garage battery", "Generic battery", "BAT-0001"),
    type: "battery",
    availableCommands: [commandType("battery:set-reserve", 300), commandType("battery:set-operating-mode", 300)],
    state: {
      ...recorded,
      chargingState: "charging",
      charge: 6400,
      chargePercentage: 64,
      whConsumed: 250,
      chargeRate: -3000,
      backupReserve: 20,
      strategy: "self_consumption",
      gridStatus: "idle",
      gridPower: 0,
      loadPower: 850
    },
    staticState: { capacity: 10000, maxChargeRate: 5000, maxDischargeRate: 5000, numberOfBatteries: 1 }
  },
  MeterDevice: {
    ...named("House meter", "Generic meter", "MTR-0001"),
    type: "meter",
    state: { ...recorded, power: -800, importedEnergy: 5120400, exportedEnergy: 2893100, voltage: 240, current: 3.3 }
  },
  ChargerDevice: {
    ...named("Driveway charger", "Generic charger", "CHG-0001"),
    type: "charger",
    state: {
      ...recorded,
      chargingState: "charging",
      isPluggedIn: true,
      chargerVoltage: 240,
      chargerCurrent: 30,
      chargerWattage: 7200,
      lifetimeEnergyCharged: 8412300
    }
  },
  VehicleDevice: {
    ...named("Family car", "Generic vehicle", "CAR-0001"),
    type: "vehicle",
    isHome: true,
    state: { ...recorded, chargingState: "idle", chargePercentage: 72, range: 210, chargeLimit: 80, isPluggedIn: true },
    staticState: { capacity: 75000, keyPaired: true }
  },
  ThermostatDevice: {
    ...named("Hallway", "Generic thermostat", "THM-0001"),
    type: "thermostat",
    state: { ...recorded, ambientTemperature: 70.5, operatingMode: "heat", fanMode: "auto", heatTarget: 68 },
    availableCommands: [
      { ...commandType("thermostat:set-fan-mode", 300), limits: { fanMode: { enum: ["auto", "on"] } } }
    ],
    staticState: {
      allowedModes: ["heat", "cool", "auto", "off"],
      allowedFanModes: ["auto", "on"],
      minHeatSetpoint: 50,
      maxHeatSetpoint: 85
    }
  },
  WaterHeaterDevice: {
    ...named("Basement tank", "Generic water heater", "WTR-0001"),
    type: "water_heater",
    state: { ...recorded, waterTemperature: 124, operatingMode: "heat_pump", targetTemperature: 125, power: 480 }
  },
  OtherDevice: {
    ...named("Pool pump", "Generic device", "OTH-0001"),
    type: "other",
    state: { ...recorded, power: 900, speed: 2450, isRunning: true }
  },
  UnknownDevice: {
    ...named("Not yet known", "Generic unknown device", "UNK-0001"),
    type: "unknown",
    onlineStatus: "unknown",
    lastOnlineAt: null,
    state: {}
  }
} as const satisfies Record<string, Device>
