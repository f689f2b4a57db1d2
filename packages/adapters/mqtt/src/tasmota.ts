import { isObject, parseJson } from "@edp/adapter-kit/decoding/jsonPath"
import { isTopic } from "@edp/adapter-kit/decoding/messages"
import type { Unit } from "@edp/adapter-kit/decoding/units"
import type { DescribedDevice } from "./describedDevice.ts"
import type { Channel } from "./channels.ts"

export interface TasmotaOptions {
  /** Whether a vehicle charges from the plug with an address, a topic and a name. */
  readonly isChargingOutlet?: (...own: ReadonlyArray<string | undefined>) => boolean
}

const PAYLOAD = { path: undefined, filters: [] } as const

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)

/** The topic of a prefix: `ft` is a pattern such as `%prefix%/%topic%/`. */
const fullTopic = (pattern: string, prefix: string, topic: string) =>
  pattern.replaceAll("%prefix%", () => prefix).replaceAll("%topic%", () => topic)

const energyFields: ReadonlyArray<readonly [field: string, outletField: string, key: string, unit: Unit]> = [
  ["power", "chargerWattage", "Power", "W"],
  ["importedEnergy", "lifetimeEnergyCharged", "Total", "kWh"],
  ["voltage", "chargerVoltage", "Voltage", "V"],
  ["current", "chargerCurrent", "Current", "A"]
]

/**
 * The device of a configuration at `tasmota/discovery/<mac>/config`, with the sensors at `.../sensors`, which list an example
 * of its telemetry. Prefixes are those of `tp`: command, status, telemetry.
 */
export const describeTasmota = (
  config: string,
  sensors: string | undefined,
  options: TasmotaOptions = {}
): { readonly device: DescribedDevice } | { readonly problem: string } => {
  const document = parseJson(config)
  if (!isObject(document)) return { problem: "The configuration is not a JSON object" }
  const [id, topic, pattern] = [text(document["mac"]), text(document["t"]), text(document["ft"])]
  const prefixes = Array.isArray(document["tp"]) ? document["tp"].map(text) : []
  const [command, status, telemetry] = prefixes
  if (
    id === undefined ||
    topic === undefined ||
    pattern === undefined ||
    command === undefined ||
    status === undefined ||
    telemetry === undefined
  ) {
    return { problem: "The configuration lacks mac, t, ft or tp" }
  }
  const listed = sensors === undefined ? undefined : parseJson(sensors)
  const example = isObject(listed) ? listed["sn"] : undefined
  const energy = isObject(example) ? example["ENERGY"] : undefined
  if (!isObject(energy)) return { problem: `${topic} has no energy sensor` }
  const names = Array.isArray(document["fn"]) ? document["fn"] : []
  const name = text(document["dn"]) ?? text(names[0]) ?? topic
  const isOutlet = options.isChargingOutlet?.(id, topic, name) === true
  const state = `${fullTopic(pattern, telemetry, topic)}SENSOR`
  const present = energyFields.filter(([, outlet, key]) => key in energy && (!isOutlet || outlet !== undefined))
  // A sensor of several phases reports lists, of which no element is the device's value.
  const lists = present.filter(([, , key]) => Array.isArray(energy[key]))
  if (!isTopic(state)) return { problem: `${JSON.stringify(state)} is not the topic of a device` }
  const channels = present
    .filter((one) => !lists.includes(one))
    .map(([meter, outlet, key, unit]): Channel => {
      return { field: isOutlet ? outlet! : meter, topic: state, template: { path: ["ENERGY", key], filters: [] }, unit }
    })
  const relays = Array.isArray(document["rl"]) ? document["rl"].filter((one) => one === 1).length : 0
  const hasSwitch = isOutlet && relays === 1 && isTopic(fullTopic(pattern, command, topic))
  return {
    device: {
      id,
      name,
      manufacturerName: "Tasmota",
      modelName: text(document["md"]),
      serialNumber: undefined,
      type: isOutlet ? "charger" : "meter",
      channels,
      staticState: {},
      availability: [
        {
          topics: [
            {
              topic: `${fullTopic(pattern, telemetry, topic)}LWT`,
              online: text(document["onln"]) ?? "Online",
              offline: text(document["ofln"]) ?? "Offline",
              template: PAYLOAD
            }
          ],
          mode: "latest"
        }
      ],
      switchState: hasSwitch
        ? {
            field: "switch",
            topic: `${fullTopic(pattern, status, topic)}POWER`,
            template: PAYLOAD,
            unit: undefined,
            values: { ON: "on", OFF: "off" }
          }
        : undefined,
      controls: hasSwitch
        ? {
            switch: {
              topic: `${fullTopic(pattern, command, topic)}POWER`,
              values: { "start-charging": "ON", "stop-charging": "OFF" }
            }
          }
        : {},
      problems: lists.map(([, , key]) => `ENERGY.${key} is a list of phases`)
    }
  }
}
