import { type Observation, observe } from "@edp/adapter-kit/decoding/observation"
import { convertUnit } from "@edp/adapter-kit/decoding/units"
import { informationAt, type MatterDevice } from "./describeNode.ts"
import {
  type Attributes,
  cluster,
  type Endpoints,
  fromMilli,
  hasBit,
  hasFeature,
  numberFrom,
  withParts
} from "./endpoints.ts"
import { allowedFanModes, allowedModes, fanModes, systemModes, systemModesWithoutWord } from "./thermostatModes.ts"

/** Batteries show some watts while nothing flows. */
const BATTERY_ABOVE_WATTS = 50
/** Inverters draw some watts at night. */
const INVERTER_OWN_WATTS = 50

/** Values of the enumeration `StateEnum` of the cluster Energy EVSE. */
export const evseStates: Readonly<Record<number, { readonly chargingState: string; readonly isPluggedIn?: boolean }>> =
  {
    0: { chargingState: "idle", isPluggedIn: false },
    1: { chargingState: "idle", isPluggedIn: true },
    2: { chargingState: "idle", isPluggedIn: true },
    3: { chargingState: "charging", isPluggedIn: true },
    4: { chargingState: "discharging", isPluggedIn: true },
    5: { chargingState: "idle" },
    // A fault leaves open if a vehicle is connected.
    6: { chargingState: "idle" }
  }

/** A temperature in hundredths of a degree Celsius, in degrees Fahrenheit. */
export const toFahrenheit = (value: unknown): number | undefined => {
  const hundredths = numberFrom(value)
  const converted = hundredths === undefined ? undefined : convertUnit(hundredths / 100, "°C", "°F")
  return converted === undefined ? undefined : Number(converted.toFixed(2))
}

/** Power, positive while it is imported, and the energies of the measurement. */
const measure = (device: MatterDevice, endpoints: Endpoints) => {
  const at = device.measuredBy === null ? undefined : endpoints.get(device.measuredBy)
  const power = cluster(at, "electricalPowerMeasurement") ?? {}
  const energy = cluster(at, "electricalEnergyMeasurement") ?? {}
  const counter = (name: string) => fromMilli((energy[name] as Attributes | null | undefined)?.["energy"])
  return {
    watts: fromMilli(power["activePower"]),
    volts: fromMilli(power["voltage"] ?? power["rmsVoltage"]),
    amperes: fromMilli(power["activeCurrent"] ?? power["rmsCurrent"]),
    importedWh: counter("cumulativeEnergyImported"),
    exportedWh: counter("cumulativeEnergyExported")
  }
}

const known = <Value>(
  value: unknown,
  table: Readonly<Record<number, Value>>,
  name: string,
  problems: Array<string>
) => {
  if (value === null || value === undefined) return undefined
  const found = table[Number(value)]
  if (found === undefined) problems.push(`${name} has the value ${JSON.stringify(value)}, which is not known`)
  return found
}

const chargerState = (device: MatterDevice, endpoints: Endpoints, problems: Array<string>) => {
  const evse = cluster(endpoints.get(device.endpoint), "energyEvse") ?? {}
  const { amperes, importedWh, volts, watts } = measure(device, endpoints)
  const state = known(evse["state"], evseStates, "state", problems)
  return {
    chargingState: state?.chargingState,
    isPluggedIn: state?.isPluggedIn,
    // A station that feeds back draws nothing.
    chargerWattage: watts === undefined ? undefined : Math.max(0, watts),
    chargerVoltage: volts,
    chargerCurrent: amperes === undefined ? undefined : Math.abs(amperes),
    lifetimeEnergyCharged: importedWh
  }
}

const batteryState = (device: MatterDevice, endpoints: Endpoints) => {
  const source = cluster(device.batteryAt === null ? undefined : endpoints.get(device.batteryAt), "powerSource") ?? {}
  const halfPercent = numberFrom(source["batPercentRemaining"])
  const { watts } = measure(device, endpoints)
  return {
    chargePercentage: halfPercent === undefined ? undefined : halfPercent / 2,
    // Imported power charges.
    chargeRate: watts === undefined ? undefined : 0 - watts,
    chargingState:
      watts === undefined
        ? undefined
        : watts > BATTERY_ABOVE_WATTS
          ? "charging"
          : watts < -BATTERY_ABOVE_WATTS
            ? "discharging"
            : "idle"
  }
}

const inverterState = (device: MatterDevice, endpoints: Endpoints, problems: Array<string>) => {
  const { exportedWh, watts } = measure(device, endpoints)
  const isContradictory = watts !== undefined && watts > INVERTER_OWN_WATTS
  if (isContradictory) {
    problems.push(`activePower is ${watts} W of imported power, although a solar device exports its power`)
  }
  return {
    power: watts === undefined || isContradictory ? undefined : Math.max(0, 0 - watts),
    lifetimeEnergyGenerated: exportedWh
  }
}

const meterState = (device: MatterDevice, endpoints: Endpoints) => {
  const { amperes, exportedWh, importedWh, volts, watts } = measure(device, endpoints)
  return { power: watts, importedEnergy: importedWh, exportedEnergy: exportedWh, voltage: volts, current: amperes }
}

const thermostatState = (device: MatterDevice, endpoints: Endpoints, problems: Array<string>) => {
  const endpoint = endpoints.get(device.endpoint)
  const thermostat = cluster(endpoint, "thermostat") ?? {}
  const mode = thermostat["systemMode"]
  return {
    ambientTemperature: toFahrenheit(thermostat["localTemperature"]),
    operatingMode: systemModesWithoutWord.includes(Number(mode))
      ? undefined
      : known(mode, systemModes, "systemMode", problems),
    fanMode: known(cluster(endpoint, "fanControl")?.["fanMode"], fanModes, "fanMode", problems),
    heatTarget: toFahrenheit(thermostat["occupiedHeatingSetpoint"]),
    coolTarget: toFahrenheit(thermostat["occupiedCoolingSetpoint"])
  }
}

const rounded = (value: number | undefined, round: (value: number) => number) =>
  value === undefined ? undefined : round(value)

const thermostatStatic = (device: MatterDevice, endpoints: Endpoints) => {
  const endpoint = endpoints.get(device.endpoint)
  const thermostat = cluster(endpoint, "thermostat") ?? {}
  const limit = (name: string, round: (value: number) => number) =>
    rounded(
      toFahrenheit(thermostat[`${name}Limit`] ?? thermostat[`abs${name[0]!.toUpperCase()}${name.slice(1)}Limit`]),
      round
    )
  return {
    allowedModes: allowedModes(thermostat),
    allowedFanModes: allowedFanModes(cluster(endpoint, "fanControl")),
    ...(hasFeature(thermostat, "heating") && {
      minHeatSetpoint: limit("minHeatSetpoint", Math.ceil),
      maxHeatSetpoint: limit("maxHeatSetpoint", Math.floor)
    }),
    ...(hasFeature(thermostat, "cooling") && {
      minCoolSetpoint: limit("minCoolSetpoint", Math.ceil),
      maxCoolSetpoint: limit("maxCoolSetpoint", Math.floor)
    })
  }
}

const OFF_TAG = 0x4000
const VACATION_TAG = 5

/** Tags of the mode that a water heater is in. */
const modeTags = ({ currentMode, supportedModes }: Attributes): ReadonlyArray<number> => {
  const modes = Array.isArray(supportedModes) ? (supportedModes as ReadonlyArray<Attributes>) : []
  const tags = modes.find(({ mode }) => mode === currentMode)?.["modeTags"]
  return Array.isArray(tags) ? tags.map((tag: Attributes) => Number(tag["value"])) : []
}

const waterHeaterMode = (management: Attributes, mode: Attributes, thermostat: Attributes) => {
  const tags = modeTags(mode)
  if (tags.includes(OFF_TAG) || thermostat["systemMode"] === 0) return "off"
  if (management["boostState"] === 1) return "high_demand"
  if (tags.includes(VACATION_TAG)) return "vacation"
  const has = (bits: unknown) => ({
    heatPump: hasBit(bits, "heatPump"),
    electric: hasBit(bits, "immersionElement1") || hasBit(bits, "immersionElement2")
  })
  // One that has both is in the mode of the source that heats now.
  for (const bits of [management["heaterTypes"], management["heatDemand"]]) {
    const { electric, heatPump } = has(bits)
    if (heatPump !== electric) return heatPump ? "heat_pump" : "electric"
  }
  return undefined
}

const waterHeaterState = (device: MatterDevice, endpoints: Endpoints) => {
  const parts = withParts(endpoints, device.endpoint)
  const first = (name: Parameters<typeof cluster>[1]) =>
    parts.map((part) => cluster(part, name)).find((one) => one !== undefined) ?? {}
  const thermostat = first("thermostat")
  const management = first("waterHeaterManagement")
  return {
    waterTemperature: toFahrenheit(thermostat["localTemperature"] ?? first("temperatureMeasurement")["measuredValue"]),
    operatingMode: waterHeaterMode(management, first("waterHeaterMode"), thermostat),
    targetTemperature: toFahrenheit(thermostat["occupiedHeatingSetpoint"]),
    power: measure(device, endpoints).watts,
    availableHotWater: numberFrom(management["tankPercentage"])
  }
}

/** Limits of a device by its energy management, W, in which consumption is positive. */
const powerLimits = (device: MatterDevice, endpoints: Endpoints) => {
  const management =
    withParts(endpoints, device.endpoint)
      .map((part) => cluster(part, "deviceEnergyManagement"))
      .find((one) => one !== undefined) ?? {}
  const [least, most] = [fromMilli(management["absMinPower"]), fromMilli(management["absMaxPower"])]
  return {
    consumes: most !== undefined && most > 0 ? most : undefined,
    generates: least !== undefined && least < 0 ? 0 - least : undefined
  }
}

const batteryStatic = (device: MatterDevice, endpoints: Endpoints) => {
  const { consumes, generates } = powerLimits(device, endpoints)
  return { capacity: device.capacity ?? undefined, maxChargeRate: consumes, maxDischargeRate: generates }
}

const inverterStatic = (device: MatterDevice, endpoints: Endpoints) => ({
  power: powerLimits(device, endpoints).generates
})

/** Volts of a station with one phase, by which a power is a current; undefined if that is not known. */
export const chargerVolts = (device: MatterDevice, endpoints: Endpoints): number | undefined => {
  const at = device.measuredBy === null ? undefined : endpoints.get(device.measuredBy)
  const power = cluster(at, "electricalPowerMeasurement")
  const { volts } = measure(device, endpoints)
  return volts === undefined || volts < 80 || hasFeature(power, "polyphasePower") ? undefined : volts
}

const chargerStatic = (device: MatterDevice, endpoints: Endpoints) => {
  const volts = chargerVolts(device, endpoints)
  const evse = cluster(endpoints.get(device.endpoint), "energyEvse") ?? {}
  const [least, most] = [fromMilli(evse["minimumChargeCurrent"]), fromMilli(evse["circuitCapacity"])]
  if (volts === undefined || most === undefined || most <= 0) return {}
  return {
    takesTargetPower: true,
    ...(least !== undefined && least > 0 && { minPower: Math.ceil(least * volts) }),
    maxPower: Math.floor(most * volts)
  }
}

/** Whether a device responds, as far as a bridge tells it. */
export const isReachable = (device: MatterDevice, endpoints: Endpoints): boolean =>
  endpoints.has(device.endpoint) && informationAt(endpoints, device.endpoint)["reachable"] !== false

/** The state of a device by the attributes of its endpoints. */
export const observeDevice = (device: MatterDevice, endpoints: Endpoints): Observation => {
  const problems: Array<string> = []
  switch (device.type) {
    case "battery":
      return observe("battery", batteryState(device, endpoints), batteryStatic(device, endpoints))
    case "charger":
      return observe("charger", chargerState(device, endpoints, problems), chargerStatic(device, endpoints), problems)
    case "inverter":
      return observe(
        "inverter",
        inverterState(device, endpoints, problems),
        inverterStatic(device, endpoints),
        problems
      )
    case "thermostat":
      return observe(
        "thermostat",
        thermostatState(device, endpoints, problems),
        thermostatStatic(device, endpoints),
        problems
      )
    case "water_heater":
      return observe("water_heater", waterHeaterState(device, endpoints))
    default:
      return observe(device.type, meterState(device, endpoints), {}, problems)
  }
}
