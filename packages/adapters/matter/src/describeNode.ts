import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import {
  type Attributes,
  cluster,
  type ClusterName,
  type Endpoints,
  hasFeature,
  type MatterEndpoint,
  textFrom,
  withParents,
  withParts
} from "./endpoints.ts"

/** A device of a node as the platform sees it. */
export interface MatterDevice {
  /** Unique in the node, and the same after a restart. */
  readonly id: string
  readonly type: TypedDevice
  readonly endpoint: number
  readonly name: string
  readonly vendor: string | null
  readonly model: string
  readonly serialNumber: string | null
  /** The endpoint that measures the power of the device, and the one that has the state of its battery. */
  readonly measuredBy: number | null
  readonly batteryAt: number | null
  /** Usable capacity of a battery, Wh, as the person entered it. */
  readonly capacity: number | null
  /** Why the device has no readings, in a sentence; null if it has. */
  readonly incompatible: string | null
}

/** Devices of one account. */
export const DEVICE_LIMIT = 200

/** Identifiers of the Matter Device Library. */
export const deviceTypes = {
  solarPower: 0x17,
  batteryStorage: 0x18,
  roomAirConditioner: 0x72,
  thermostat: 0x301,
  evse: 0x50c,
  waterHeater: 0x50f
} as const

const typeByIdentifier = new Map<number, TypedDevice>([
  [deviceTypes.solarPower, "inverter"],
  [deviceTypes.batteryStorage, "battery"],
  [deviceTypes.roomAirConditioner, "thermostat"],
  [deviceTypes.thermostat, "thermostat"],
  [deviceTypes.evse, "charger"],
  [deviceTypes.waterHeater, "water_heater"]
])

/** The cluster without which a device of the type has nothing to read or to control. */
const neededCluster: Partial<Record<TypedDevice, ClusterName>> = {
  charger: "energyEvse",
  thermostat: "thermostat"
}

const typeFrom = (endpoint: MatterEndpoint): TypedDevice | undefined => {
  for (const identifier of endpoint.deviceTypes) {
    const type = typeByIdentifier.get(identifier)
    const needed = type === undefined ? undefined : neededCluster[type]
    if (type !== undefined && (needed === undefined || cluster(endpoint, needed) !== undefined)) return type
  }
  return undefined
}

/** The information of a bridge on a device behind it, or that of the node on itself. */
export const informationAt = (endpoints: Endpoints, number: number): Attributes => {
  for (const endpoint of withParents(endpoints, number)) {
    const found = cluster(endpoint, "bridgedDeviceBasicInformation") ?? cluster(endpoint, "basicInformation")
    if (found !== undefined) return found
  }
  return {}
}

const hasPower = (endpoint: MatterEndpoint) => cluster(endpoint, "electricalPowerMeasurement") !== undefined

const hasBattery = (endpoint: MatterEndpoint) => hasFeature(cluster(endpoint, "powerSource"), "battery")

/** The identity of a node, which pairing it again does not change; null if it says none. */
export const nodeIdentity = (endpoints: Endpoints): string | null => {
  const information = cluster(endpoints.get(0), "basicInformation") ?? {}
  const own = textFrom(information["uniqueId"]) ?? textFrom(information["serialNumber"])
  return own === undefined
    ? null
    : [information["vendorId"], information["productId"], own].map((one) => String(one)).join("-")
}

export const nodeName = (endpoints: Endpoints): string => {
  const information = cluster(endpoints.get(0), "basicInformation") ?? {}
  return textFrom(information["nodeLabel"]) ?? textFrom(information["productName"]) ?? "Matter device"
}

/** The id of a device in its node: that which a bridge gives to it, because endpoints may be numbered anew; else its endpoint. */
const deviceId = (endpoints: Endpoints, number: number): string => {
  const bridged = withParents(endpoints, number).find(
    (one) => cluster(one, "bridgedDeviceBasicInformation") !== undefined
  )
  const information = cluster(bridged, "bridgedDeviceBasicInformation") ?? {}
  const own = textFrom(information["uniqueId"]) ?? textFrom(information["serialNumber"])
  if (bridged === undefined || own === undefined) return String(number)
  return bridged.number === number ? own : `${own}-${number}`
}

/** The label of a part, such as the room of one of several thermostats. */
const labelAt = (endpoints: Endpoints, number: number): string | undefined => {
  const labels = cluster(endpoints.get(number), "userLabel")?.["labelList"]
  return Array.isArray(labels) ? textFrom((labels[0] as Attributes | undefined)?.["value"]) : undefined
}

const findObstacle = (
  type: TypedDevice,
  found: Pick<MatterDevice, "batteryAt" | "capacity" | "measuredBy"> & { readonly batteries: number }
): string | null => {
  if (type === "battery" && found.batteryAt === null) return "It does not report its state of charge"
  if (type === "battery" && found.capacity === null) {
    return found.batteries > 1
      ? "Matter does not tell the capacity of a battery, and the account has several"
      : "Matter does not tell the capacity of a battery: pair it with the capacity in the form"
  }
  if (type === "inverter" && found.measuredBy === null) return "It does not measure its power"
  return null
}

/**
 * The devices of a node: those of a known device type, and as meters the other endpoints that measure power, such as smart plugs. A
 * measurement below a device belongs to it.
 */
export const describeNode = (endpoints: Endpoints, batteryCapacity: number | null): ReadonlyArray<MatterDevice> => {
  const typed = new Map<number, TypedDevice>()
  for (const endpoint of endpoints.values()) {
    const type = typeFrom(endpoint)
    if (type !== undefined) typed.set(endpoint.number, type)
  }
  const isPart = ({ number }: MatterEndpoint, of: (endpoint: MatterEndpoint) => boolean) =>
    withParents(endpoints, number).slice(1).some(of)
  // A water heater is controlled by the thermostat of its own endpoint, or of a part of it.
  for (const [number, type] of typed) {
    const heater = (one: MatterEndpoint) => typed.get(one.number) === "water_heater"
    if (type === "thermostat" && isPart(endpoints.get(number)!, heater)) typed.delete(number)
  }
  for (const endpoint of endpoints.values()) {
    const isCounted = (one: MatterEndpoint) => typed.has(one.number) || hasPower(one)
    if (!typed.has(endpoint.number) && hasPower(endpoint) && !isPart(endpoint, isCounted)) {
      typed.set(endpoint.number, "meter")
    }
  }
  const batteries = [...typed.values()].filter((one) => one === "battery").length

  return [...typed].slice(0, DEVICE_LIMIT).map(([number, type]): MatterDevice => {
    const information = informationAt(endpoints, number)
    // A part that is a device of its own has its own measurement.
    const parts = withParts(endpoints, number, (part) => typed.has(part.number))
    const measuredBy = parts.find(hasPower)?.number ?? null
    const batteryAt = type === "battery" ? (parts.find(hasBattery)?.number ?? null) : null
    const capacity = type === "battery" && batteries === 1 ? batteryCapacity : null
    const productName = textFrom(information["productName"])
    return {
      id: deviceId(endpoints, number),
      type,
      endpoint: number,
      name: [textFrom(information["nodeLabel"]) ?? productName ?? "Device", labelAt(endpoints, number)]
        .filter((one) => one !== undefined)
        .join(" "),
      vendor: textFrom(information["vendorName"]) ?? null,
      model: productName ?? "Unknown",
      serialNumber: textFrom(information["serialNumber"]) ?? null,
      measuredBy,
      batteryAt,
      capacity,
      incompatible: findObstacle(type, { measuredBy, batteryAt, capacity, batteries })
    }
  })
}
