import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { climate, waterHeater } from "./climate.ts"
import { type Components, type ConfigSource, takenCommand, template } from "./configSource.ts"
import { entityKey, possibleFields, type ShownField } from "./entities.ts"
import { AUTOMATIC, stateFields } from "./statePayload.ts"

export const ORIGIN = "Energy Device Platform"

/** The identifier of a device in Home Assistant, whatever publishes it. */
export const deviceIdentifier = (deviceId: string) => `edp_${deviceId}`

const showing = ({ deviceClass, field, name, options, platform, stateClass, unit }: ShownField, topic: string) => ({
  platform,
  name,
  state_topic: topic,
  value_template: template(entityKey(field)),
  ...(deviceClass !== undefined && { device_class: deviceClass }),
  ...(unit !== undefined && { unit_of_measurement: unit }),
  ...(stateClass !== undefined && { state_class: stateClass }),
  ...(options !== undefined && { options })
})

/** A share in percent that can be set, within the limits that the device sets. */
const setShare = (source: ConfigSource, slug: CommandSlug, field: string, input: string): Components => {
  const command = takenCommand(source, slug)
  if (command === undefined) return {}
  const { device, topics } = source
  const limits = command.limits?.[input]
  const name = possibleFields(device.type, {}).find((one) => one.field === field)!.name
  return {
    [field]: {
      platform: "number",
      name,
      state_topic: topics.state(device.id),
      value_template: template(field),
      command_topic: topics.command(device.id, field),
      min: limits?.minimum ?? 0,
      max: limits?.maximum ?? 100,
      step: 1,
      unit_of_measurement: "%"
    }
  }
}

const chargingSwitch = (source: ConfigSource, slug: CommandSlug): Components => {
  const { device, topics } = source
  return takenCommand(source, slug) === undefined
    ? {}
    : {
        charging: {
          platform: "switch",
          name: "Charging",
          state_topic: topics.state(device.id),
          value_template: template("charging"),
          command_topic: topics.command(device.id, "charging")
        }
      }
}

const batteryMode = (source: ConfigSource): Components => {
  const { device, topics } = source
  return takenCommand(source, "battery:set-operating-mode") === undefined
    ? {}
    : {
        operatingMode: {
          platform: "select",
          name: "Operating mode",
          state_topic: topics.state(device.id),
          value_template: template("operatingMode"),
          command_topic: topics.command(device.id, "operatingMode"),
          options: [AUTOMATIC, "charge", "discharge", "idle"]
        }
      }
}

const scheduleButton = (source: ConfigSource, slug: CommandSlug, key: string, name: string): Components =>
  takenCommand(source, slug) === undefined
    ? {}
    : { [key]: { platform: "button", name, command_topic: source.topics.command(source.device.id, key) } }

/** The entities by which a device is controlled. One with the key of a field takes the place of the entity that shows it. */
const controls = (source: ConfigSource): Components => {
  switch (source.device.type) {
    case "battery":
      return {
        ...setShare(source, "battery:set-reserve", "backupReserve", "chargePercentage"),
        ...batteryMode(source)
      }
    case "charger":
      return chargingSwitch(source, "charger:set-operating-mode")
    case "vehicle":
      return {
        ...chargingSwitch(source, "vehicle:set-operating-mode"),
        ...setShare(source, "vehicle:set-charge-limit", "chargeLimit", "chargeLimit")
      }
    case "thermostat":
      return {
        climate: climate(source),
        ...scheduleButton(source, "thermostat:pause-schedule", "pauseSchedule", "Pause schedule"),
        ...scheduleButton(source, "thermostat:resume-schedule", "resumeSchedule", "Resume schedule")
      }
    case "water_heater":
      return { waterHeater: waterHeater(source) }
    default:
      return {}
  }
}

/** The entities of a device: what it shows, or has shown, and what controls it. */
export const deviceComponents = (source: ConfigSource): Components => {
  const { device, known, topics } = source
  const state = stateFields(device)
  const seen = possibleFields(device.type, state).filter(
    ({ field }) => (state[field] !== undefined && state[field] !== null) || known.has(entityKey(field))
  )
  const all: Components = {
    ...Object.fromEntries(seen.map((one) => [entityKey(one.field), showing(one, topics.state(device.id))])),
    ...controls(source)
  }
  return Object.fromEntries(
    Object.entries(all).map(([key, component]) => [
      key,
      { ...component, unique_id: `${deviceIdentifier(device.id)}_${key}` }
    ])
  )
}

/** The configuration of a device with these entities. Both the platform and the device have to be available. */
export const deviceConfig = (source: ConfigSource, components: Components): string => {
  const { device, manufacturerName, topics, version } = source
  return JSON.stringify({
    device: {
      identifiers: [deviceIdentifier(device.id)],
      name: device.name,
      manufacturer: manufacturerName,
      model: device.model,
      model_id: device.type,
      ...(device.serialNumber !== null && { serial_number: device.serialNumber })
    },
    origin: { name: ORIGIN, sw_version: version },
    availability: [{ topic: topics.status }, { topic: topics.availability(device.id) }],
    availability_mode: "all",
    components
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The platforms of the entities in a configuration that was published before, by their keys. */
export const readPlatforms = (config: string): ReadonlyMap<string, string> => {
  try {
    const document: unknown = JSON.parse(config)
    const components = isObject(document) ? document["components"] : undefined
    if (!isObject(components)) return new Map()
    return new Map(
      Object.entries(components).flatMap(([key, one]) =>
        isObject(one) && typeof one["platform"] === "string" ? [[key, one["platform"]] as const] : []
      )
    )
  } catch {
    return new Map()
  }
}

/**
 * The entities that are gone, or have another platform, as Home Assistant is told to remove them: by their former platform alone.
 * Empty if there are none.
 */
export const removedComponents = (before: ReadonlyMap<string, string>, after: Components): Components =>
  Object.fromEntries(
    [...before]
      .filter(([key, platform]) => after[key]?.platform !== platform)
      .map(([key, platform]) => [key, { platform }])
  )
