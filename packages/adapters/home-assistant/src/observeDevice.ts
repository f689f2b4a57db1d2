import { type Observation, observe } from "@edp/adapter-kit/decoding/observation"
import { convertUnit, fieldUnits, parseUnit, type Unit } from "@edp/adapter-kit/decoding/units"
import {
  allowedModes,
  fanModes,
  operatingModes,
  otherModes,
  otherWaterHeaterModes,
  translate,
  waterHeaterModes
} from "./climateModes.ts"
import { deviceEntities, type InstanceDevice, type SensorField } from "./describeDevices.ts"
import { type Entities, type Entity, isKnown } from "./entities.ts"

/** Chargers draw some watts while no vehicle charges. */
const CHARGING_ABOVE_WATTS = 100
/** Batteries and their meters show some watts while nothing flows. */
const BATTERY_ABOVE_WATTS = 50

const readSensors = ({ entityIds, field }: SensorField, entities: Entities, problems: Array<string>) => {
  const target = fieldUnits[field]
  let sum = 0
  for (const id of entityIds) {
    const entity = entities.get(id)
    if (!isKnown(entity)) return undefined
    const value = entity.state.trim() === "" ? NaN : Number(entity.state)
    const written = entity.attributes["unit_of_measurement"]
    const unit = typeof written === "string" ? parseUnit(written) : undefined
    const converted = unit === undefined || target === undefined ? undefined : convertUnit(value, unit, target)
    if (!Number.isFinite(value)) {
      problems.push(`${id} has the state ${JSON.stringify(entity.state)}, which is not a number`)
      return undefined
    }
    if (converted === undefined) {
      problems.push(`${id} has the unit ${JSON.stringify(written ?? null)}, which ${field} can't have`)
      return undefined
    }
    sum += converted
  }
  return sum
}

const degrees = (value: unknown, unit: Unit) =>
  typeof value === "number" && Number.isFinite(value) ? convertUnit(value, unit, "°F") : undefined

const readMode = (
  mode: unknown,
  table: Readonly<Record<string, string>>,
  others: ReadonlyArray<string>,
  name: string,
  problems: Array<string>
) => {
  const known = translate(mode, table)
  if (known === undefined && typeof mode === "string" && !others.includes(mode)) {
    problems.push(`${name} has the value ${JSON.stringify(mode)}, which is not known`)
  }
  return known
}

const thermostatState = ({ attributes, state }: Entity, unit: Unit, problems: Array<string>) => {
  const operatingMode = readMode(state, operatingModes, otherModes, "hvac_mode", problems)
  const single = degrees(attributes["temperature"], unit)
  return {
    ambientTemperature: degrees(attributes["current_temperature"], unit),
    operatingMode,
    fanMode: readMode(attributes["fan_mode"], fanModes, [], "fan_mode", problems),
    heatTarget: degrees(attributes["target_temp_low"], unit) ?? (operatingMode === "heat" ? single : undefined),
    coolTarget: degrees(attributes["target_temp_high"], unit) ?? (operatingMode === "cool" ? single : undefined)
  }
}

const waterHeaterState = ({ attributes, state }: Entity, unit: Unit, problems: Array<string>) => ({
  waterTemperature: degrees(attributes["current_temperature"], unit),
  operatingMode: readMode(state, waterHeaterModes, otherWaterHeaterModes, "operation_mode", problems),
  targetTemperature: degrees(attributes["temperature"], unit)
})

const thermostatStatic = ({ attributes }: Entity, unit: Unit) => {
  const bound = (name: string, round: (value: number) => number) => {
    const value = degrees(attributes[name], unit)
    return value === undefined ? undefined : round(value)
  }
  const [least, greatest] = [bound("min_temp", Math.ceil), bound("max_temp", Math.floor)]
  const modes = allowedModes(attributes["hvac_modes"], operatingModes)
  const isAny = (...some: ReadonlyArray<string>) => some.some((one) => modes.includes(one))
  return {
    allowedModes: modes,
    allowedFanModes: allowedModes(attributes["fan_modes"], fanModes),
    ...(isAny("heat", "auto") && { minHeatSetpoint: least, maxHeatSetpoint: greatest }),
    ...(isAny("cool", "auto") && { minCoolSetpoint: least, maxCoolSetpoint: greatest })
  }
}

const batteryActivity = (rate: unknown) =>
  typeof rate !== "number"
    ? undefined
    : rate > BATTERY_ABOVE_WATTS
      ? "discharging"
      : rate < -BATTERY_ABOVE_WATTS
        ? "charging"
        : "idle"

/** Whether the instance reaches a device: not if all of its entities are unavailable. */
export const isReachable = (device: InstanceDevice, entities: Entities): boolean =>
  deviceEntities(device).some((id) => {
    const entity = entities.get(id)
    return entity !== undefined && entity.state !== "unavailable"
  })

/** Milliseconds since 1970: the newest update of an entity of the device. */
export const updatedAt = (device: InstanceDevice, entities: Entities): number =>
  Math.max(0, ...deviceEntities(device).map((id) => entities.get(id)?.updatedAt ?? 0))

/** Whether a charger is switched on; undefined if that is not known. */
export const isSwitchedOn = (device: InstanceDevice, entities: Entities): boolean | undefined => {
  const state = device.switch === null ? undefined : entities.get(device.switch)?.state
  return state === "on" ? true : state === "off" ? false : undefined
}

/** The state of a device by the states of its entities. */
export const observeDevice = (device: InstanceDevice, entities: Entities, unit: Unit): Observation => {
  const problems: Array<string> = []
  const state: Record<string, unknown> = Object.fromEntries(
    device.sensors.map((one) => [one.field, readSensors(one, entities, problems)])
  )
  if (device.type === "battery") state["chargingState"] = batteryActivity(state["chargeRate"])
  const watts = state["chargerWattage"]
  if (device.type === "charger" && typeof watts === "number") {
    state["chargingState"] = watts > CHARGING_ABOVE_WATTS ? "charging" : "idle"
  }
  // The sensor of an inverter may show its own use at night.
  if (device.type === "inverter" && typeof state["power"] === "number") state["power"] = Math.max(0, state["power"])
  const climate = device.climate === null ? undefined : entities.get(device.climate)
  if (isKnown(climate)) {
    Object.assign(
      state,
      device.type === "thermostat"
        ? thermostatState(climate, unit, problems)
        : waterHeaterState(climate, unit, problems)
    )
  }
  const staticState =
    device.type === "thermostat" && isKnown(climate)
      ? thermostatStatic(climate, unit)
      : device.capacity === null
        ? {}
        : { capacity: device.capacity }
  return observe(device.type, state, staticState, problems)
}
