import { isTopic } from "@edp/adapter-kit/decoding/messages"
import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { convertUnit, parseUnit } from "@edp/adapter-kit/decoding/units"
import { modesToSend, allowedModes, fanModes, operatingModes, waterHeaterModes } from "./climateModes.ts"
import type { Channel } from "./channels.ts"
import type { Control, Controls } from "./controls.ts"
import type { DescribedDevice } from "./describedDevice.ts"
import { type ChannelOptions, describeAvailability, makeChannel } from "./homeAssistantChannels.ts"
import type { DiscoveredComponent } from "./homeAssistantDiscovery.ts"

/** Facts that discovery leaves open and the owner knows. */
export interface DiscoveryOptions {
  /** The unit of thermostats that name none: it is that of the Home Assistant instance. */
  readonly temperatureUnit?: "C" | "F"
  /** Roles of devices by their ids: a sensor of power does not indicate whether it generates, uses or measures. */
  readonly roles?: Readonly<Record<string, Role>>
  /** The role of all other devices with sensors; without it they are reported. */
  readonly defaultRole?: Role
  /** Whether devices are read that an Energy Device Platform publishes; by default they are left out. */
  readonly readsPublished?: boolean
}

export const roles = ["charger", "inverter", "meter"] as const
export type Role = (typeof roles)[number]

type Drafted = Pick<DescribedDevice, "channels" | "controls" | "problems" | "setpoint" | "staticState" | "switchState">

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
const texts = (value: unknown) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined)
const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

interface Rule {
  readonly field: string
  readonly deviceClass: string
  readonly stateClass?: ReadonlyArray<string>
  /** Only a sensor with the contract's name of the field is read: its class alone does not tell it. */
  readonly isNamed?: true
}

const totals = ["total_increasing", "total"]
const energyTotal = (field: string): Rule => ({ field, deviceClass: "energy", stateClass: totals })

/** The sensors that each role reads. */
const rules: Readonly<Record<Role, ReadonlyArray<Rule>>> = {
  meter: [
    { field: "power", deviceClass: "power" },
    energyTotal("importedEnergy"),
    { ...energyTotal("exportedEnergy"), isNamed: true },
    { field: "voltage", deviceClass: "voltage" },
    { field: "current", deviceClass: "current" }
  ],
  charger: [
    { field: "chargerWattage", deviceClass: "power" },
    energyTotal("lifetimeEnergyCharged"),
    { field: "chargerVoltage", deviceClass: "voltage" },
    { field: "chargerCurrent", deviceClass: "current" }
  ],
  inverter: [
    { field: "power", deviceClass: "power" },
    energyTotal("lifetimeEnergyGenerated"),
    { field: "gridPower", deviceClass: "power", isNamed: true },
    { field: "loadPower", deviceClass: "power", isNamed: true }
  ]
}

/** The sensors of a field: the one with the contract's name of it, or all of its class. */
const sensors = (components: ReadonlyArray<DiscoveredComponent>, { deviceClass, field, isNamed, stateClass }: Rule) => {
  const fitting = components.filter(
    ({ component, config }) =>
      component === "sensor" &&
      config["device_class"] === deviceClass &&
      (stateClass === undefined || stateClass.includes(String(config["state_class"])))
  )
  const named = fitting.filter(({ id }) => id.endsWith(`/${field}`))
  return named.length > 0 || isNamed === true ? named : fitting
}

/** Sorts channels from sentences about those that were not understood. */
const gather = (made: ReadonlyArray<Channel | string | undefined>) => ({
  channels: made.filter((one): one is Channel => typeof one === "object"),
  problems: made.filter((one) => typeof one === "string")
})

/** Devices made of sensors: a field with several candidates gets none, because none is known to be the right one. */
const draftSensors = (components: ReadonlyArray<DiscoveredComponent>, role: Role): Drafted => {
  const { channels, problems } = gather(
    rules[role].map((rule) => {
      const [only, ...others] = sensors(components, rule)
      if (only === undefined) return undefined
      return others.length > 0
        ? `${rule.field} has several sensors: ${[only, ...others].map(({ id }) => id).join(", ")}`
        : makeChannel(only, rule.field, { unit: text(only.config["unit_of_measurement"]) })
    })
  )
  const switches = components.filter(({ component }) => component === "switch")
  const [one] = switches
  const topic = text(one?.config["command_topic"])
  const [on, off] = [text(one?.config["payload_on"]) ?? "ON", text(one?.config["payload_off"]) ?? "OFF"]
  const outlet: Control | undefined =
    role === "charger" && switches.length === 1 && topic !== undefined && isTopic(topic)
      ? {
          topic,
          template: text(one?.config["command_template"]),
          values: { "start-charging": on, "stop-charging": off }
        }
      : undefined
  const shown =
    outlet === undefined
      ? undefined
      : makeChannel(one!, "switch", {
          values: {
            [text(one?.config["state_on"]) ?? on]: "on",
            [text(one?.config["state_off"]) ?? off]: "off"
          }
        })
  return {
    channels,
    switchState: typeof shown === "object" ? shown : undefined,
    staticState: {},
    controls: outlet === undefined ? {} : { switch: outlet },
    problems: [
      ...problems,
      ...(role === "charger" && switches.length > 1 ? ["The device has several switches, so none is used"] : [])
    ]
  }
}

const wholeFahrenheit = (value: unknown, unit: string | undefined) => {
  const parsed = unit === undefined ? undefined : parseUnit(unit)
  const own = number(value)
  const converted = own === undefined || parsed === undefined ? undefined : convertUnit(own, parsed, "°F")
  return converted === undefined ? undefined : Math.round(converted)
}

const draftClimate = (climate: DiscoveredComponent, options: DiscoveryOptions): Drafted => {
  const { config } = climate
  const unit = text(config["temperature_unit"]) ?? options.temperatureUnit
  const modes = texts(config["modes"]) ?? ["auto", "off", "cool", "heat", "dry", "fan_only"]
  const fans = texts(config["fan_modes"]) ?? ["auto", "low", "medium", "high"]
  const channel = (field: string, key: string, more: ChannelOptions = { unit }) =>
    makeChannel(climate, field, { ...more, topic: `${key}_topic`, template: `${key}_template` })
  const { channels, problems } = gather([
    channel("ambientTemperature", "current_temperature"),
    channel("operatingMode", "mode_state", { values: operatingModes }),
    channel("fanMode", "fan_mode_state", { values: fanModes }),
    channel("heatTarget", "temperature_low_state"),
    channel("coolTarget", "temperature_high_state")
  ])
  const setpoint = channel("heatTarget", "temperature_state")
  const control = (key: string, more: Omit<Control, "topic" | "template">): Control | undefined => {
    const topic = text(config[`${key}_command_topic`])
    return topic === undefined || !isTopic(topic)
      ? undefined
      : { topic, template: text(config[`${key}_command_template`]), ...more }
  }
  const target = {
    unit: unit === undefined ? undefined : parseUnit(unit),
    step: number(config["temp_step"]),
    minimum: number(config["min_temp"]),
    maximum: number(config["max_temp"])
  }
  const controls: Record<keyof Controls, Control | undefined> = {
    operatingMode: control("mode", { values: modesToSend(modes, operatingModes) }),
    fanMode: control("fan_mode", { values: modesToSend(fans, fanModes) }),
    heatTarget: control("temperature_low", target),
    coolTarget: control("temperature_high", target),
    setpoint: control("temperature", target),
    switch: undefined
  }
  const allowed = allowedModes(modes, operatingModes)
  const [lowest, highest] = [wholeFahrenheit(config["min_temp"], unit), wholeFahrenheit(config["max_temp"], unit)]
  return {
    channels,
    setpoint: typeof setpoint === "object" ? setpoint : undefined,
    staticState: {
      allowedModes: allowed,
      allowedFanModes: controls.fanMode === undefined ? [] : allowedModes(fans, fanModes),
      ...(allowed.includes("heat") ? { minHeatSetpoint: lowest, maxHeatSetpoint: highest } : {}),
      ...(allowed.includes("cool") ? { minCoolSetpoint: lowest, maxCoolSetpoint: highest } : {})
    },
    controls: Object.fromEntries(Object.entries(controls).filter(([, one]) => one !== undefined)) as Controls,
    problems: [...problems, ...(typeof setpoint === "string" ? [setpoint] : [])]
  }
}

const draftWaterHeater = (
  heater: DiscoveredComponent,
  components: ReadonlyArray<DiscoveredComponent>,
  options: DiscoveryOptions
): Drafted => {
  const unit = text(heater.config["temperature_unit"]) ?? options.temperatureUnit
  const channel = (field: string, key: string, more: ChannelOptions) =>
    makeChannel(heater, field, { ...more, topic: `${key}_topic`, template: `${key}_template` })
  const { channels, problems } = gather([
    channel("waterTemperature", "current_temperature", { unit }),
    channel("targetTemperature", "temperature_state", { unit }),
    channel("operatingMode", "mode_state", { values: waterHeaterModes }),
    ...sensors(components, { field: "power", deviceClass: "power", isNamed: true }).map((one) =>
      makeChannel(one, "power", { unit: text(one.config["unit_of_measurement"]) })
    )
  ])
  return { channels, staticState: {}, controls: {}, problems }
}

const draft = (
  components: ReadonlyArray<DiscoveredComponent>,
  role: Role | undefined,
  options: DiscoveryOptions
): readonly [TypedDevice, Drafted] | string => {
  const published = components.find(({ device }) => device.publishedType !== undefined)?.device.publishedType
  const climates = components.filter(({ component }) => component === "climate")
  const heaters = components.filter(({ component }) => component === "water_heater")
  if (climates.length + heaters.length > 1) return "it has several thermostats or water heaters"
  if (climates[0] !== undefined) return ["thermostat", draftClimate(climates[0], options)]
  if (heaters[0] !== undefined) return ["water_heater", draftWaterHeater(heaters[0], components, options)]
  const hasPower = components.some(({ config }) => config["device_class"] === "power")
  const own = roles.find((one) => one === published)
  if (published !== undefined && own === undefined) return `a ${published} is not read`
  const type = role ?? own ?? options.defaultRole
  if (type === undefined) {
    return hasPower
      ? "its role is not known: charger, inverter or meter"
      : "it has no thermostat, water heater or sensor of power"
  }
  const drafted = draftSensors(components, type)
  if (drafted.channels.length > 0 || drafted.controls.switch !== undefined) return [type, drafted]
  return drafted.problems[0] ?? "it has no thermostat, water heater or sensor of power"
}

/** Groups discovered components into devices. A device that is not understood is reported with the reason. */
export const describeDevices = (
  components: ReadonlyArray<DiscoveredComponent>,
  options: DiscoveryOptions = {}
): { readonly devices: ReadonlyArray<DescribedDevice>; readonly problems: ReadonlyArray<string> } => {
  // A platform that read its own publications would count its devices twice.
  const read = components.filter(({ device }) => device.publishedType === undefined || options.readsPublished === true)
  const byDevice = Map.groupBy(read, ({ device }) => device.id)
  const devices: Array<DescribedDevice> = []
  const problems: Array<string> = []
  for (const [id, own] of byDevice) {
    const role = Object.hasOwn(options.roles ?? {}, id) ? options.roles![id] : undefined
    const drafted = draft(own, role, options)
    if (typeof drafted === "string") {
      problems.push(`${id} is not understood: ${drafted}`)
      continue
    }
    const identities = own.map(({ device }) => device)
    devices.push({
      id,
      // Components repeat the identity of their device, and not all of them in full.
      name: identities.find(({ name }) => name !== undefined)?.name ?? id,
      manufacturerName: identities.find(({ manufacturer }) => manufacturer !== undefined)?.manufacturer,
      modelName: identities.find(({ model }) => model !== undefined)?.model,
      serialNumber: identities.find(({ serialNumber }) => serialNumber !== undefined)?.serialNumber,
      type: drafted[0],
      // A device whose components tell it apart is reachable if one of them is.
      availability: own.map(describeAvailability).filter(({ topics }) => topics.length > 0),
      ...drafted[1]
    })
  }
  return { devices, problems }
}
