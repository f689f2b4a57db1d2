import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { isKnown, type Entities } from "./entities.ts"
import type { EnergySource, RegisteredDevice, RegisteredEntity } from "./registries.ts"

/** A field of a state by sensors, whose values add up. */
export interface SensorField {
  readonly field: string
  readonly entityIds: ReadonlyArray<string>
}

/** A device of the instance as the platform sees it. */
export interface InstanceDevice {
  /** Unique in the instance and stable while entities are renamed. */
  readonly id: string
  readonly type: TypedDevice
  readonly name: string
  readonly manufacturer: string | null
  readonly model: string | null
  readonly serialNumber: string | null
  readonly sensors: ReadonlyArray<SensorField>
  /** The entity of a thermostat or a water heater. */
  readonly climate: string | null
  /** The switch that starts and stops a charger. */
  readonly switch: string | null
  /** Usable capacity of a battery, Wh, as the person entered it. */
  readonly capacity: number | null
  /** Why the device has no readings, in a sentence; null if it has. */
  readonly incompatible: string | null
}

/** All that the instance says about its devices. */
export interface Description {
  readonly entities: ReadonlyArray<RegisteredEntity>
  readonly devices: ReadonlyArray<RegisteredDevice>
  readonly sources: ReadonlyArray<EnergySource>
  readonly states: Entities
  /** Wh; of the only battery. */
  readonly batteryCapacity: number | null
}

/** The label that a person gives to the charging station of a vehicle. */
export const CHARGER_LABEL = "ev_charger"

/** Devices of one account. */
export const DEVICE_LIMIT = 200

const idPrefixes = { grid: "grid", solar: "solar", battery: "battery", consumer: "use" } as const
const energyTypes = { grid: "meter", solar: "inverter", battery: "battery", consumer: "meter" } as const
const defaultNames = { grid: "Grid", solar: "Solar", battery: "Battery", consumer: "Device" } as const

/** Power may be missing in the preferences: then the only sensor of power at the device counts, where its sign is known. */
const energyFields = {
  grid: { power: "power", from: "importedEnergy", to: "exportedEnergy" },
  solar: { power: "power", from: "lifetimeEnergyGenerated", to: null },
  battery: { power: "chargeRate", from: null, to: null },
  consumer: { power: "power", from: "importedEnergy", to: null }
} as const

/** The description without the devices that the platform has published: read again, each would be a second device. */
const withoutPublished = (description: Description): Description => {
  const published = new Set(description.devices.filter(({ isPublished }) => isPublished).map(({ id }) => id))
  const isForeign = (deviceId: string | null) => deviceId === null || !published.has(deviceId)
  const hidden = new Set(
    description.entities.filter(({ deviceId }) => !isForeign(deviceId)).map(({ entityId }) => entityId)
  )
  const foreign = (entityIds: ReadonlyArray<string>) => entityIds.filter((one) => !hidden.has(one))
  return {
    ...description,
    devices: description.devices.filter(({ id }) => isForeign(id)),
    entities: description.entities.filter(({ deviceId }) => isForeign(deviceId)),
    states: new Map([...description.states].filter(([entityId]) => !hidden.has(entityId))),
    sources: description.sources
      .map(({ from, power, to, ...source }) => ({
        ...source,
        from: foreign(from),
        to: foreign(to),
        power: foreign(power)
      }))
      .filter(({ from, power, to }) => from.length + power.length + to.length > 0)
  }
}

export const describeInstance = (description: Description) => {
  const { batteryCapacity, devices, entities, sources, states } = withoutPublished(description)
  const byEntity = new Map(entities.map((one) => [one.entityId, one]))
  const byDevice = Map.groupBy(entities, ({ deviceId }) => deviceId)
  const deviceById = new Map(devices.map((one) => [one.id, one]))
  const attribute = (entityId: string, name: string) => states.get(entityId)?.attributes[name]

  /** The only sensor of a class at a device; undefined if there is none or several, because none is known to be the right one. */
  const onlySensor = (
    deviceId: string | null | undefined,
    deviceClass: string,
    stateClasses?: ReadonlyArray<string>
  ) => {
    if (deviceId === null || deviceId === undefined) return undefined
    const fitting = (byDevice.get(deviceId) ?? []).filter(
      ({ entityId, isAuxiliary }) =>
        !isAuxiliary &&
        entityId.startsWith("sensor.") &&
        attribute(entityId, "device_class") === deviceClass &&
        (stateClasses === undefined || stateClasses.includes(String(attribute(entityId, "state_class"))))
    )
    return fitting.length === 1 ? fitting[0]!.entityId : undefined
  }

  const identity = (deviceId: string | null | undefined) => {
    const device = deviceId === null || deviceId === undefined ? undefined : deviceById.get(deviceId)
    return {
      manufacturer: device?.manufacturer ?? null,
      model: device?.model ?? null,
      serialNumber: device?.serialNumber ?? null
    }
  }

  const sensor = (field: string, entityIds: ReadonlyArray<string | undefined>): ReadonlyArray<SensorField> => {
    const named = entityIds.filter((one) => one !== undefined)
    return named.length === 0 ? [] : [{ field, entityIds: named }]
  }

  const isOnlyBattery = sources.filter(({ kind }) => kind === "battery").length === 1

  const fromEnergy = (source: EnergySource): InstanceDevice | undefined => {
    const { from, kind, name, power, to } = source
    const first = [...power, ...from, ...to].map((one) => byEntity.get(one)).find((one) => one !== undefined)
    const anchor = [...from, ...to, ...power].find((one) => states.has(one))
    if (anchor === undefined) return undefined
    const deviceId = byEntity.get(anchor)?.deviceId ?? first?.deviceId
    const fields = energyFields[kind]
    const isUnsigned = kind === "solar" || kind === "consumer"
    const powers = power.length > 0 ? power : isUnsigned ? [onlySensor(deviceId, "power")] : []
    const capacity = kind === "battery" && isOnlyBattery ? batteryCapacity : null
    const share = kind === "battery" ? onlySensor(deviceId, "battery") : undefined
    const stored = kind === "battery" ? onlySensor(deviceId, "energy_storage") : undefined
    const sensors = [
      ...sensor(fields.power, powers),
      ...(fields.from === null ? [] : sensor(fields.from, from)),
      ...(fields.to === null ? [] : sensor(fields.to, to)),
      ...sensor("chargePercentage", [share]),
      ...sensor("charge", [stored])
    ]
    const has = (field: string) => sensors.some((one) => one.field === field)
    const missing =
      kind === "battery"
        ? !has("chargePercentage") && (!has("charge") || capacity === null)
          ? "Its device in Home Assistant has no single sensor of the class battery, which shows the state of charge"
          : !has("charge") && capacity === null
            ? "Neither a sensor of the class energy_storage nor the capacity of the battery is known"
            : null
        : has("power")
          ? null
          : "No sensor of its power is named in the energy dashboard of Home Assistant"
    return {
      id: `${idPrefixes[kind]}-${byEntity.get(anchor)?.id ?? anchor}`,
      type: energyTypes[kind],
      name: name ?? (kind === "consumer" ? String(attribute(anchor, "friendly_name") ?? anchor) : defaultNames[kind]),
      ...identity(deviceId),
      sensors,
      climate: null,
      switch: null,
      capacity,
      incompatible: missing
    }
  }

  const fromClimate = (entityId: string): InstanceDevice => {
    const entry = byEntity.get(entityId)
    const isThermostat = entityId.startsWith("climate.")
    // An entity that is not reachable now may have a temperature later.
    const hasTemperature =
      !isKnown(states.get(entityId)) || typeof attribute(entityId, "current_temperature") === "number"
    return {
      id: `${isThermostat ? "climate" : "water-heater"}-${entry?.id ?? entityId}`,
      type: isThermostat ? "thermostat" : "water_heater",
      name: String(attribute(entityId, "friendly_name") ?? entityId),
      ...identity(entry?.deviceId),
      sensors: [],
      climate: entityId,
      switch: null,
      capacity: null,
      incompatible:
        attribute(entityId, "assumed_state") === true
          ? "Home Assistant assumes its state and does not read it"
          : hasTemperature
            ? null
            : "It measures no temperature"
    }
  }

  const fromCharger = (device: RegisteredDevice): InstanceDevice => {
    const switches = (byDevice.get(device.id) ?? []).filter(
      ({ entityId, isAuxiliary }) => !isAuxiliary && entityId.startsWith("switch.")
    )
    const only = switches.length === 1 ? switches[0]!.entityId : null
    const power = onlySensor(device.id, "power")
    return {
      id: `charger-${device.id}`,
      type: "charger",
      name: device.name ?? device.id,
      ...identity(device.id),
      sensors: [
        ...sensor("chargerWattage", [power]),
        ...sensor("lifetimeEnergyCharged", [onlySensor(device.id, "energy", ["total_increasing"])]),
        ...sensor("chargerVoltage", [onlySensor(device.id, "voltage")]),
        ...sensor("chargerCurrent", [onlySensor(device.id, "current")])
      ],
      climate: null,
      switch: only !== null && attribute(only, "assumed_state") !== true ? only : null,
      capacity: null,
      incompatible:
        power === undefined ? "It has no single sensor of the class power, which shows that it charges" : null
    }
  }

  const chargers = devices.filter(({ labels }) => labels.includes(CHARGER_LABEL))
  const chargerIds = new Set(chargers.map(({ id }) => id))
  // A charging station that the energy dashboard names as a consumer as well is one device, not two.
  const named = sources.filter(
    ({ from, kind }) => kind !== "consumer" || !from.some((one) => chargerIds.has(byEntity.get(one)?.deviceId ?? ""))
  )
  const all = [
    ...named.map(fromEnergy).filter((one) => one !== undefined),
    ...chargers.map(fromCharger),
    ...[...states.keys()].filter((one) => /^(climate|water_heater)\./.test(one)).map(fromClimate)
  ]
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, DEVICE_LIMIT)
}

/** The entities that show the state of a device. */
export const deviceEntities = ({ climate, sensors, switch: outlet }: InstanceDevice): ReadonlyArray<string> => [
  ...new Set([...sensors.flatMap(({ entityIds }) => entityIds), climate, outlet].filter((one) => one !== null))
]
