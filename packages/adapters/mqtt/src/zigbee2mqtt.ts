import { isObject, parseJson } from "@edp/adapter-kit/decoding/jsonPath"
import { isTopic } from "@edp/adapter-kit/decoding/messages"
import { parseUnit } from "@edp/adapter-kit/decoding/units"
import { allowedModes, fanModes, modesToSend, operatingModes } from "./climateModes.ts"
import type { Control, Controls } from "./controls.ts"
import type { DescribedDevice } from "./describedDevice.ts"
import type { AvailabilityTopic } from "./availability.ts"
import type { Channel } from "./channels.ts"

/** One property that a device exposes. Composite exposes hold theirs in `features`. */
interface Feature {
  readonly name: string
  readonly property: string
  readonly unit: string | undefined
  readonly values: ReadonlyArray<string>
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly step: number | undefined
  readonly writable: boolean
  /** The type of the expose that it belongs to: climate, switch or its own. */
  readonly group: string
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

/** Bit 2 of `access`: the property can be set. */
const SET = 2

const feature = (value: unknown, group?: string): ReadonlyArray<Feature> => {
  if (!isObject(value)) return []
  const type = text(value["type"]) ?? "unknown"
  const features = value["features"]
  if (Array.isArray(features)) return features.flatMap((one) => feature(one, group ?? type))
  const [name, property] = [text(value["name"]), text(value["property"])]
  if (name === undefined || property === undefined) return []
  const values = Array.isArray(value["values"]) ? value["values"] : []
  return [
    {
      name,
      property,
      unit: text(value["unit"]),
      values: values.filter((one) => typeof one === "string"),
      minimum: number(value["value_min"]),
      maximum: number(value["value_max"]),
      step: number(value["value_step"]),
      writable: ((number(value["access"]) ?? 0) & SET) !== 0,
      group: group ?? type
    }
  ]
}

const meterFields = { power: "power", energy: "importedEnergy", voltage: "voltage", current: "current" } as const
const outletFields = {
  power: "chargerWattage",
  energy: "lifetimeEnergyCharged",
  voltage: "chargerVoltage",
  current: "chargerCurrent"
} as const
const climateFields = {
  local_temperature: "ambientTemperature",
  occupied_heating_setpoint: "heatTarget",
  occupied_cooling_setpoint: "coolTarget",
  system_mode: "operatingMode",
  fan_mode: "fanMode"
} as const

const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  operatingMode: operatingModes,
  fanMode: fanModes
}

const jsonKey = (property: string, isText: boolean) =>
  `{${JSON.stringify(property)}:${isText ? '"{{ value }}"' : "{{ value }}"}}`

const gather = (
  features: ReadonlyArray<Feature>,
  fields: Readonly<Record<string, string>>,
  topic: string
): {
  readonly channels: ReadonlyArray<Channel>
  readonly controls: Controls
  readonly problems: ReadonlyArray<string>
} => {
  const channels: Array<Channel> = []
  const problems: Array<string> = []
  const controls: Record<string, Control> = {}
  for (const [name, field] of Object.entries(fields)) {
    const found = features.filter((one) => one.name === name)
    const [only] = found
    if (only === undefined) continue
    if (found.length > 1) {
      problems.push(`${name} is exposed by ${found.map(({ property }) => property).join(", ")}, so none is used`)
      continue
    }
    const table = choices[field]
    const unit = only.unit === undefined ? undefined : parseUnit(only.unit)
    if (table === undefined && unit === undefined) {
      problems.push(`The unit ${JSON.stringify(only.unit ?? "")} of ${name} is not understood`)
      continue
    }
    const template = { path: [only.property], filters: [] }
    channels.push({ field, topic, template, unit, ...(table === undefined ? {} : { values: table }) })
    if (only.writable) {
      const { maximum, minimum, step } = only
      controls[field] = {
        topic: `${topic}/set`,
        template: jsonKey(only.property, table !== undefined),
        ...(table === undefined ? { unit, maximum, minimum, step } : { values: modesToSend(only.values, table) })
      }
    }
  }
  return { channels, controls, problems }
}

/** Both forms in which Zigbee2MQTT writes it: a text or an object. */
const availability = (topic: string): ReadonlyArray<AvailabilityTopic> =>
  [undefined, ["state"]].map((path) => ({
    topic,
    online: "online",
    offline: "offline",
    template: { path, filters: [] }
  }))

export interface ZigbeeOptions {
  /** The topic below which Zigbee2MQTT publishes. */
  readonly baseTopic?: string
  /** Whether a vehicle charges from the plug with an address and a name. */
  readonly isChargingOutlet?: (...own: ReadonlyArray<string>) => boolean
}

const describe = (
  entry: Readonly<Record<string, unknown>>,
  options: ZigbeeOptions
): DescribedDevice | string | undefined => {
  const [id, name, definition] = [text(entry["ieee_address"]), text(entry["friendly_name"]), entry["definition"]]
  if (id === undefined || name === undefined || entry["type"] === "Coordinator" || entry["disabled"] === true)
    return undefined
  if (!isTopic(name)) return `${JSON.stringify(name)} can't be part of a topic`
  if (!isObject(definition)) return `${name} has no definition`
  const features = Array.isArray(definition["exposes"]) ? definition["exposes"].flatMap((one) => feature(one)) : []
  const base = options.baseTopic ?? "zigbee2mqtt"
  const topic = `${base}/${name}`
  const about = {
    id,
    name,
    manufacturerName: text(definition["vendor"]),
    modelName: text(definition["model"]),
    serialNumber: undefined,
    availability: [
      {
        topics: [...availability(`${base}/bridge/state`), ...availability(`${topic}/availability`)],
        mode: "all" as const
      }
    ]
  }
  const climate = features.filter(({ group }) => group === "climate")
  if (climate.length > 0) {
    const modes = climate.find((one) => one.name === "system_mode")?.values ?? []
    const fans = climate.find((one) => one.name === "fan_mode")?.values ?? []
    const own = gather(climate, climateFields, topic)
    return {
      ...about,
      type: "thermostat",
      ...own,
      staticState: { allowedModes: allowedModes(modes, operatingModes), allowedFanModes: allowedModes(fans, fanModes) }
    }
  }
  const outlet = features.find((one) => one.group === "switch" && one.name === "state" && one.writable)
  if (options.isChargingOutlet?.(id, name) === true) {
    const own = gather(features, outletFields, topic)
    return {
      ...about,
      type: "charger",
      ...own,
      staticState: {},
      switchState:
        outlet === undefined
          ? undefined
          : {
              field: "switch",
              topic,
              template: { path: [outlet.property], filters: [] },
              unit: undefined,
              values: { ON: "on", OFF: "off" }
            },
      controls:
        outlet === undefined
          ? {}
          : {
              switch: {
                topic: `${topic}/set`,
                template: jsonKey(outlet.property, true),
                values: { "start-charging": "ON", "stop-charging": "OFF" }
              }
            }
    }
  }
  if (!features.some((one) => one.name === "power")) return `${name} exposes neither a thermostat nor a power`
  return { ...about, type: "meter", ...gather(features, meterFields, topic), staticState: {}, controls: {} }
}

/** The list describes every device of a network with all of its properties, some kilobytes each. */
const LIST_LIMIT = 2_000_000

/** The devices in the payload of `<base>/bridge/devices`. */
export const describeZigbeeDevices = (
  payload: string,
  options: ZigbeeOptions = {}
): { readonly devices: ReadonlyArray<DescribedDevice>; readonly problems: ReadonlyArray<string> } => {
  const list = parseJson(payload, LIST_LIMIT)
  if (!Array.isArray(list)) return { devices: [], problems: ["The list of devices is not a JSON array"] }
  const described = list.map((entry) => (isObject(entry) ? describe(entry, options) : "An entry is not an object"))
  return {
    devices: described.filter((one): one is DescribedDevice => typeof one === "object"),
    problems: described.filter((one) => typeof one === "string")
  }
}
