import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { convertUnit, type Unit } from "@edp/adapter-kit/decoding/units"
import { allowedModes, fanModes, modeToSend, operatingModes } from "./climateModes.ts"
import type { InstanceDevice } from "./describeDevices.ts"
import type { Entities, Entity } from "./entities.ts"

/** A service that is called for an entity. */
export interface ServiceCall {
  readonly domain: string
  readonly service: string
  readonly service_data: Readonly<Record<string, unknown>>
  readonly target: { readonly entity_id: string }
}

/** The calls of a command in their order, and the input as the device will show it; a sentence if the device can't do it. */
export type CallPlan =
  | { readonly calls: ReadonlyArray<ServiceCall>; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly refused: string }

type Input = Readonly<Record<string, unknown>>

/** Bits of `supported_features` of a climate entity. */
const SINGLE_TARGET = 1
const TARGET_RANGE = 2
const FAN_MODE = 8

const supports = ({ attributes }: Entity, bit: number) => {
  const features = attributes["supported_features"]
  return typeof features === "number" && (features & bit) !== 0
}

const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

/** The commands that a device takes. */
export const availableCommands = (device: InstanceDevice, entities: Entities): ReadonlyArray<CommandSlug> => {
  if (device.incompatible !== null) return []
  if (device.type === "charger") return device.switch === null ? [] : ["charger:set-operating-mode"]
  const climate = device.climate === null ? undefined : entities.get(device.climate)
  if (device.type !== "thermostat" || climate === undefined) return []
  return [
    ...(allowedModes(climate.attributes["hvac_modes"], operatingModes).length > 0
      ? ["thermostat:set-operating-mode" as const]
      : []),
    ...(supports(climate, FAN_MODE) && allowedModes(climate.attributes["fan_modes"], fanModes).length > 0
      ? ["thermostat:set-fan-mode" as const]
      : [])
  ]
}

const ownTarget = (name: string, asked: unknown, { attributes }: Entity, unit: Unit): number | string => {
  const exact = typeof asked === "number" ? convertUnit(asked, "°F", unit) : undefined
  if (exact === undefined) return `${name} is required`
  const step = number(attributes["target_temp_step"]) ?? 0
  const usual = unit === "°F" ? 1 : 0.1
  const own = Number((Math.round(exact / (step > 0 ? step : usual)) * (step > 0 ? step : usual)).toFixed(4))
  const [least, greatest] = [number(attributes["min_temp"]), number(attributes["max_temp"])]
  return own < (least ?? -Infinity) || own > (greatest ?? Infinity)
    ? `${name} must be from ${least} to ${greatest} ${unit} on this device`
    : own
}

const planThermostat = (entityId: string, climate: Entity, unit: Unit, input: Input): CallPlan => {
  const { operatingMode: mode } = input
  const own = modeToSend(climate.attributes["hvac_modes"], operatingModes, String(mode))
  if (own === undefined) return { refused: `operatingMode can't be ${String(mode)} on this device` }
  const target = { entity_id: entityId }
  const setMode = { domain: "climate", service: "set_hvac_mode", service_data: { hvac_mode: own }, target }
  const names =
    mode === "heat"
      ? ["heatTarget"]
      : mode === "cool"
        ? ["coolTarget"]
        : mode === "auto"
          ? ["heatTarget", "coolTarget"]
          : []
  if (names.length === 0) return { calls: [setMode] }
  if (names.length === 2 && (own !== "heat_cool" || !supports(climate, TARGET_RANGE))) {
    return { refused: "operatingMode can't be auto on this device, which has no two set-points" }
  }
  if (names.length === 1 && !supports(climate, SINGLE_TARGET)) {
    return { refused: `${names[0]} can't be set on this device, which has no single set-point` }
  }
  const targets = names.map((name) => [name, ownTarget(name, input[name], climate, unit)] as const)
  const wrong = targets.find(([, value]) => typeof value === "string")
  if (wrong !== undefined) return { refused: String(wrong[1]) }
  const values = targets.map(([, value]) => value as number)
  const shown = Object.fromEntries(
    targets.map(([name, value]) => [name, convertUnit(value as number, unit, "°F") ?? input[name]])
  )
  return {
    calls: [
      setMode,
      {
        domain: "climate",
        service: "set_temperature",
        service_data:
          values.length === 1
            ? { temperature: values[0] }
            : { target_temp_low: values[0], target_temp_high: values[1] },
        target
      }
    ],
    input: { ...input, ...shown }
  }
}

/** Plans a command. The mode goes first: a thermostat keeps set-points per mode. */
export const planCalls = (
  device: InstanceDevice,
  entities: Entities,
  unit: Unit,
  type: CommandSlug,
  input: Input
): CallPlan => {
  if (!availableCommands(device, entities).includes(type)) return { refused: `The device does not support ${type}` }
  if (type === "charger:set-operating-mode") {
    if (input["targetPowerW"] !== undefined) return { refused: "targetPowerW can't be set on this device" }
    return {
      calls: [
        {
          domain: "switch",
          service: input["operatingMode"] === "start-charging" ? "turn_on" : "turn_off",
          service_data: {},
          target: { entity_id: device.switch! }
        }
      ]
    }
  }
  const climate = entities.get(device.climate!)!
  if (type === "thermostat:set-operating-mode") return planThermostat(device.climate!, climate, unit, input)
  const own = modeToSend(climate.attributes["fan_modes"], fanModes, String(input["fanMode"]))
  if (own === undefined) return { refused: `fanMode can't be ${String(input["fanMode"])} on this device` }
  return {
    calls: [
      {
        domain: "climate",
        service: "set_fan_mode",
        service_data: { fan_mode: own },
        target: { entity_id: device.climate! }
      }
    ]
  }
}
