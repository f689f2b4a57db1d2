import type { BrokerDevice } from "@edp/adapter-kit/broker/BrokerDevice"
import type { BrokerDialect, DescribedDevices } from "@edp/adapter-kit/broker/BrokerDialect"
import { planMessages } from "./controls.ts"
import {
  availabilityTopics,
  availableCommands,
  type DescribedDevice,
  isReachable,
  isSwitchedOn,
  observeDevice,
  stateTopics
} from "./describedDevice.ts"
import { describeDevices, type Role } from "./homeAssistantDevices.ts"
import { type DiscoveredComponent, readDiscovery } from "./homeAssistantDiscovery.ts"
import { describeTasmota } from "./tasmota.ts"
import { describeZigbeeDevices } from "./zigbee2mqtt.ts"

/** The dialects of a broker and the facts that they leave open. */
export interface DialectOptions {
  /** Prefix of Home Assistant's discovery; null: it is not read. */
  readonly discoveryPrefix: string | null
  /** The topic below which Zigbee2MQTT publishes; null: it is not read. */
  readonly zigbeeTopic: string | null
  readonly tasmota: boolean
  /** The role of devices with a sensor of power that are in neither list. */
  readonly sensorRole: Role
  /** Identifiers or names of devices from which a vehicle charges, and of those that feed in what the sun generates. */
  readonly chargers: ReadonlyArray<string>
  readonly inverters: ReadonlyArray<string>
  /** The unit of thermostats that name none. */
  readonly temperatureUnit: "C" | "F" | null
  /** Whether devices are read that another Energy Device Platform publishes. */
  readonly published?: boolean
}

/** Components of which devices are made here; lights, buttons and so on are not even received. */
const components = ["climate", "device", "sensor", "switch", "water_heater"]
const TASMOTA = "tasmota/discovery"

const toBrokerDevice = (device: DescribedDevice): BrokerDevice => ({
  id: device.id,
  name: device.name,
  model: device.modelName ?? "Unknown",
  manufacturerName: device.manufacturerName ?? null,
  serialNumber: device.serialNumber ?? null,
  type: device.type,
  commands: availableCommands(device),
  topics: stateTopics(device),
  availabilityTopics: availabilityTopics(device),
  problems: device.problems,
  observe: (read) => observeDevice(device, read),
  isReachable: (read) => isReachable(device, read),
  plan: (slug, inputs) => planMessages(device.type, device.controls, slug, inputs),
  isSwitchedOn: (read) => isSwitchedOn(device, read)
})

/** Whether a person named the device, by its identifier or its name. */
const isNamed = (names: ReadonlyArray<string>, ...own: ReadonlyArray<string | undefined>) =>
  own.some((one) => one !== undefined && names.includes(one.toLowerCase()))

/** Zigbee2MQTT and Tasmota announce their devices to Home Assistant, too, under names that end with the address. */
const isSame = (one: DescribedDevice, native: DescribedDevice) =>
  one.id.length >= 6 &&
  (one.id.toLowerCase().endsWith(native.id.toLowerCase()) || native.id.toLowerCase().endsWith(one.id.toLowerCase()))

const describeHomeAssistant = (descriptions: ReadonlyMap<string, string>, prefix: string, options: DialectOptions) => {
  const found: Array<DiscoveredComponent> = []
  const problems: Array<string> = []
  for (const [topic, payload] of descriptions) {
    if (!topic.startsWith(`${prefix}/`)) continue
    const result = readDiscovery(topic, payload, prefix)
    if ("problem" in result) problems.push(result.problem)
    else if ("components" in result) found.push(...result.components)
  }
  const roles: Record<string, Role> = {}
  for (const { device } of found) {
    if (isNamed(options.chargers, device.id, device.name)) roles[device.id] = "charger"
    else if (isNamed(options.inverters, device.id, device.name)) roles[device.id] = "inverter"
  }
  const described = describeDevices(found, {
    roles,
    defaultRole: options.sensorRole,
    readsPublished: options.published === true,
    ...(options.temperatureUnit !== null && { temperatureUnit: options.temperatureUnit })
  })
  return { devices: described.devices, problems: [...problems, ...described.problems] }
}

const describeAllTasmota = (descriptions: ReadonlyMap<string, string>, options: DialectOptions) => {
  const results = [...descriptions].flatMap(([topic, payload]) => {
    const address = topic.startsWith(`${TASMOTA}/`) ? topic.slice(TASMOTA.length + 1) : ""
    return address.endsWith("/config")
      ? [
          describeTasmota(payload, descriptions.get(topic.replace(/config$/, "sensors")), {
            isChargingOutlet: (...own) => isNamed(options.chargers, ...own)
          })
        ]
      : []
  })
  return {
    devices: results.flatMap((one) => ("device" in one ? [one.device] : [])),
    problems: results.flatMap((one) => ("problem" in one ? [one.problem] : []))
  }
}

const none = { devices: [], problems: [] }

/** The devices that describe themselves on a broker, in any of the dialects that the person named. */
export const brokerDialect = (options: DialectOptions): BrokerDialect => {
  const { discoveryPrefix: prefix, tasmota, zigbeeTopic } = options
  const zigbeeList = `${zigbeeTopic}/bridge/devices`
  return {
    filters: [
      ...(prefix === null
        ? []
        : components.flatMap((one) => [`${prefix}/${one}/+/config`, `${prefix}/${one}/+/+/config`])),
      ...(zigbeeTopic === null ? [] : [zigbeeList]),
      ...(tasmota ? [`${TASMOTA}/+/config`, `${TASMOTA}/+/sensors`] : [])
    ],
    isDescription: (topic) =>
      (prefix !== null && topic.startsWith(`${prefix}/`) && topic.endsWith("/config")) ||
      (zigbeeTopic !== null && topic === zigbeeList) ||
      (tasmota && topic.startsWith(`${TASMOTA}/`)),
    describe: (descriptions): DescribedDevices => {
      const list = zigbeeTopic === null ? undefined : descriptions.get(zigbeeList)
      const zigbee =
        list === undefined
          ? none
          : describeZigbeeDevices(list, {
              baseTopic: zigbeeTopic!,
              isChargingOutlet: (...own) => isNamed(options.chargers, ...own)
            })
      const plugs = tasmota ? describeAllTasmota(descriptions, options) : none
      const native: ReadonlyArray<DescribedDevice> = [...zigbee.devices, ...plugs.devices]
      const announced = prefix === null ? none : describeHomeAssistant(descriptions, prefix, options)
      const others = announced.devices.filter((one) => !native.some((known) => isSame(one, known)))
      return {
        devices: [...native, ...others].map(toBrokerDevice),
        problems: [...zigbee.problems, ...plugs.problems, ...announced.problems]
      }
    }
  }
}
