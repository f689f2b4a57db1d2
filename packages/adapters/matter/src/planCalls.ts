import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { convertUnit } from "@edp/adapter-kit/decoding/units"
import type { MatterDevice } from "./describeNode.ts"
import { type Attributes, cluster, type ClusterName, type Endpoints, numberFrom } from "./endpoints.ts"
import { chargerVolts, toFahrenheit } from "./observeDevice.ts"
import { allowedFanModes, allowedModes, fanModeToSend, systemModeToSend } from "./thermostatModes.ts"

/** Attributes that are written, or a command of a cluster that is invoked. */
export type MatterCall = { readonly endpoint: number; readonly cluster: ClusterName } & (
  | { readonly write: Attributes }
  | { readonly invoke: string; readonly fields?: Attributes }
)

/** The calls of a command in their order, and the input as the device will show it; a sentence if the device can't do it. */
export type CallPlan =
  | { readonly calls: ReadonlyArray<MatterCall>; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly refused: string }

type Input = Readonly<Record<string, unknown>>

/** The setting of a charging station that `enableCharging` replaces. */
export interface ChargingSetting {
  readonly isEnabled: boolean
  /** Seconds since 1970 at which the station ends the charge by itself; null for never. */
  readonly until: number | null
  /** mA */
  readonly minimum: number | null
  readonly maximum: number | null
}

/** Values of `SupplyStateEnum` with which a vehicle may charge. */
const chargingSupplies: ReadonlyArray<unknown> = [1, 5]

/** Values of `SupplyStateEnum` that say whether charging is enabled; not a fault and not a diagnosis. */
const tellingSupplies: ReadonlyArray<unknown> = [0, 1, 2, 5]

/** The present setting of a station; undefined while it does not tell. */
export const chargingSetting = (device: MatterDevice, endpoints: Endpoints): ChargingSetting | undefined => {
  const evse = cluster(endpoints.get(device.endpoint), "energyEvse")
  if (evse === undefined || !tellingSupplies.includes(evse["supplyState"])) return undefined
  return {
    isEnabled: chargingSupplies.includes(evse["supplyState"]),
    until: numberFrom(evse["chargingEnabledUntil"]) ?? null,
    minimum: numberFrom(evse["minimumChargeCurrent"]) ?? null,
    maximum: numberFrom(evse["maximumChargeCurrent"]) ?? null
  }
}

/** The commands that a device takes. */
export const availableCommands = (device: MatterDevice, endpoints: Endpoints): ReadonlyArray<CommandSlug> => {
  const endpoint = endpoints.get(device.endpoint)
  if (device.incompatible !== null || endpoint === undefined) return []
  if (device.type === "charger") return ["charger:set-operating-mode"]
  if (device.type !== "thermostat") return []
  return [
    "thermostat:set-operating-mode",
    ...(cluster(endpoint, "fanControl") === undefined ? [] : ["thermostat:set-fan-mode" as const])
  ]
}

/** The least current of a vehicle by IEC 61851-1, mA. */
const LEAST_CURRENT = 6000

/** Enables or disables charging as a setting says. */
export const planCharging = (device: MatterDevice, setting: ChargingSetting): ReadonlyArray<MatterCall> => [
  setting.isEnabled
    ? {
        endpoint: device.endpoint,
        cluster: "energyEvse",
        invoke: "enableCharging",
        fields: {
          chargingEnabledUntil: setting.until,
          minimumChargeCurrent: setting.minimum ?? LEAST_CURRENT,
          maximumChargeCurrent: setting.maximum ?? LEAST_CURRENT
        }
      }
    : { endpoint: device.endpoint, cluster: "energyEvse", invoke: "disable" }
]

/**
 * The setting that a command asks for; a sentence if the station can't have it.
 *
 * @param until Seconds since 1970 at which the station itself ends the charge; null for never.
 */
export const wantedCharging = (
  device: MatterDevice,
  endpoints: Endpoints,
  input: Input,
  until: number | null
): ChargingSetting | string => {
  const evse = cluster(endpoints.get(device.endpoint), "energyEvse") ?? {}
  const minimum = numberFrom(evse["minimumChargeCurrent"]) ?? null
  if (input["operatingMode"] !== "start-charging") return { isEnabled: false, until: null, minimum, maximum: null }
  const capacity = numberFrom(evse["circuitCapacity"])
  const most = capacity === undefined || capacity <= 0 ? numberFrom(evse["maximumChargeCurrent"]) : capacity
  if (most === undefined || most <= 0) return "The station does not report the current of its circuit"
  const watts = input["targetPowerW"]
  if (watts === undefined) return { isEnabled: true, until, minimum, maximum: most }
  const volts = chargerVolts(device, endpoints)
  if (typeof watts !== "number" || volts === undefined) return "targetPowerW can't be set on this device"
  const maximum = Math.floor((watts * 1000) / volts)
  const least = Math.max(LEAST_CURRENT, minimum ?? 0)
  if (maximum < least || maximum > most) {
    return `targetPowerW must be from ${Math.ceil((least * volts) / 1000)} to ${Math.floor((most * volts) / 1000)} on this device`
  }
  return { isEnabled: true, until, minimum, maximum }
}

/** A set-point in hundredths of a degree Celsius; a sentence if the device does not take it. */
const ownTarget = (name: "coolTarget" | "heatTarget", asked: unknown, thermostat: Attributes): number | string => {
  const celsius = typeof asked === "number" ? convertUnit(asked, "°F", "°C") : undefined
  if (celsius === undefined) return `${name} is required`
  const own = Math.round(celsius * 100)
  const kind = name === "heatTarget" ? "Heat" : "Cool"
  const limit = (bound: "max" | "min") =>
    numberFrom(thermostat[`${bound}${kind}SetpointLimit`]) ??
    numberFrom(thermostat[`abs${bound === "min" ? "Min" : "Max"}${kind}SetpointLimit`])
  const [least, greatest] = [limit("min"), limit("max")]
  return own < (least ?? -Infinity) || own > (greatest ?? Infinity)
    ? `${name} must be from ${toFahrenheit(least) ?? "any"} to ${toFahrenheit(greatest) ?? "any"} °F on this device`
    : own
}

const targetAttributes = { heatTarget: "occupiedHeatingSetpoint", coolTarget: "occupiedCoolingSetpoint" } as const

const planThermostat = (device: MatterDevice, endpoints: Endpoints, input: Input): CallPlan => {
  const thermostat = cluster(endpoints.get(device.endpoint), "thermostat") ?? {}
  const mode = String(input["operatingMode"])
  const systemMode = allowedModes(thermostat).includes(mode) ? systemModeToSend[mode] : undefined
  if (systemMode === undefined) return { refused: `operatingMode can't be ${mode} on this device` }
  const write = (values: Attributes): MatterCall => ({
    endpoint: device.endpoint,
    cluster: "thermostat",
    write: values
  })
  const names = (["heatTarget", "coolTarget"] as const).filter(
    (name) =>
      (name === "heatTarget" && mode !== "cool" && mode !== "off") ||
      (name === "coolTarget" && mode !== "heat" && mode !== "off")
  )
  const targets = names.map((name) => ({ name, value: ownTarget(name, input[name], thermostat) }))
  const wrong = targets.find(({ value }) => typeof value === "string")
  if (wrong !== undefined) return { refused: String(wrong.value) }
  // `minSetpointDeadBand` is in tenths of a degree.
  const deadBand = (numberFrom(thermostat["minSetpointDeadBand"]) ?? 0) * 10
  const [heat, cool] = targets.map(({ value }) => value as number)
  if (heat !== undefined && cool !== undefined && cool - heat < deadBand) {
    return {
      refused: `coolTarget must be at least ${Number(((deadBand / 100) * 1.8).toFixed(1))} °F above heatTarget on this device`
    }
  }
  // A thermostat keeps its set-points apart: the one that makes way for the other goes first.
  const present = numberFrom(thermostat["occupiedCoolingSetpoint"])
  const isRaised = heat !== undefined && cool !== undefined && present !== undefined && cool > present
  const ordered = isRaised ? targets.toReversed() : targets
  return {
    calls: [...ordered.map(({ name, value }) => write({ [targetAttributes[name]]: value })), write({ systemMode })],
    input: {
      ...input,
      ...Object.fromEntries(targets.map(({ name, value }) => [name, toFahrenheit(value)]))
    }
  }
}

/** Plans a command to a thermostat. */
export const planCalls = (device: MatterDevice, endpoints: Endpoints, type: CommandSlug, input: Input): CallPlan => {
  if (!availableCommands(device, endpoints).includes(type)) return { refused: `The device does not support ${type}` }
  if (type === "thermostat:set-operating-mode") return planThermostat(device, endpoints, input)
  const fan = cluster(endpoints.get(device.endpoint), "fanControl")
  const mode = String(input["fanMode"])
  const fanMode = allowedFanModes(fan).includes(mode) ? fanModeToSend[mode] : undefined
  if (fanMode === undefined) return { refused: `fanMode can't be ${mode} on this device` }
  return { calls: [{ endpoint: device.endpoint, cluster: "fanControl", write: { fanMode } }] }
}
