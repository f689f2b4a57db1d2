import { isObject, parseJson } from "@edp/adapter-kit/decoding/jsonPath"
import { abbreviations, deviceAbbreviations, expandKeys } from "./abbreviations.ts"

/** A component of a device: one sensor, switch, thermostat and so on, with its keys written out. */
export interface DiscoveredComponent {
  /** The topic of the configuration, with the component's key for a payload that describes a whole device. */
  readonly id: string
  readonly component: string
  readonly config: Readonly<Record<string, unknown>>
  readonly device: DiscoveredIdentity
}

export interface DiscoveredIdentity {
  /** The first identifier or connection: unique on the broker. */
  readonly id: string
  readonly name: string | undefined
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly serialNumber: string | undefined
  /** The type of a device that an Energy Device Platform publishes; undefined for any other device. */
  readonly publishedType: string | undefined
}

export type DiscoveryResult =
  | { readonly components: ReadonlyArray<DiscoveredComponent> }
  /** An empty payload: the components are gone for which `isRemoved` is true. */
  | { readonly removed: string }
  | { readonly problem: string }

/** Whether a component was described by the configuration that is gone. */
export const isRemoved = ({ id }: DiscoveredComponent, removed: string): boolean =>
  id === removed || id.startsWith(`${removed}/`)

const MAX_COMPONENTS = 200
const configTopic = /^(?<component>[a-z_]+)\/(?:(?<node>[\w-]+)\/)?(?<object>[\w-]+)\/config$/

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : undefined)

/** Texts that begin or end with `~` stand for topics below the base topic. */
const withBase = (value: unknown, base: string | undefined): unknown => {
  if (base === undefined) return value
  if (typeof value === "string") {
    return value.startsWith("~") ? base + value.slice(1) : value.endsWith("~") ? value.slice(0, -1) + base : value
  }
  if (Array.isArray(value)) return value.map((one) => withBase(one, base))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBase(one, base)]))
    : value
}

/** A configuration with long keys and whole topics. */
const expand = (config: Readonly<Record<string, unknown>>, inherited?: string) => {
  const base = text(config["~"]) ?? inherited
  const topics = Object.entries(expandKeys(config, abbreviations)).map(([key, value]) => {
    const isTopic = key === "topic" || key.endsWith("_topic") || key === "availability"
    const long =
      key === "availability" && Array.isArray(value)
        ? value.map((one) => (isObject(one) ? expandKeys(one, abbreviations) : one))
        : key === "availability" && isObject(value)
          ? expandKeys(value, abbreviations)
          : value
    return [key, isTopic ? withBase(long, base) : long] as const
  })
  return { config: Object.fromEntries(topics) as Readonly<Record<string, unknown>>, base }
}

/** The name by which the platform's own publications are known. */
const PLATFORM = "Energy Device Platform"

const identify = (device: unknown, origin: unknown, fallback: string): DiscoveredIdentity => {
  const fields = isObject(device) ? expandKeys(device, deviceAbbreviations) : {}
  const identifiers = fields["identifiers"]
  const connections = fields["connections"]
  const connection = Array.isArray(connections) && Array.isArray(connections[0]) ? connections[0][1] : undefined
  return {
    id:
      text(identifiers) ??
      text(Array.isArray(identifiers) ? identifiers[0] : undefined) ??
      text(connection) ??
      fallback,
    name: text(fields["name"]),
    manufacturer: text(fields["manufacturer"]),
    model: text(fields["model"]),
    serialNumber: text(fields["serial_number"]),
    publishedType: isObject(origin) && origin["name"] === PLATFORM ? text(fields["model_id"]) : undefined
  }
}

/**
 * Reads a retained configuration: of one component (`<prefix>/sensor/[<node>/]<object>/config`) or of a device with all its
 * components (`<prefix>/device/[<node>/]<object>/config`).
 */
export const readDiscovery = (topic: string, payload: string, prefix = "homeassistant"): DiscoveryResult => {
  const parts = topic.startsWith(`${prefix}/`) ? configTopic.exec(topic.slice(prefix.length + 1))?.groups : undefined
  if (parts === undefined) return { problem: `${topic} is not a topic of a configuration` }
  const id = topic.slice(prefix.length + 1, -"/config".length)
  if (payload === "") return { removed: id }
  const document = parseJson(payload)
  if (!isObject(document)) return { problem: `The configuration at ${topic} is not a JSON object` }
  const { base, config } = expand(document)
  const device = identify(config["device"], config["origin"], id)
  if (parts["component"] !== "device") {
    return { components: [{ id, component: parts["component"]!, config, device }] }
  }
  const components = config["components"]
  if (!isObject(components)) return { problem: `The configuration at ${topic} has no components` }
  const { components: _, device: __, origin: ___, ...shared } = config
  const found = Object.entries(components).slice(0, MAX_COMPONENTS)
  return {
    components: found.flatMap(([key, value]) => {
      if (!isObject(value)) return []
      const own = expand(value, base).config
      const component = text(own["platform"])
      // A component of which only the platform is left has been removed from the device.
      if (component === undefined || Object.keys(own).length === 1) return []
      return [{ id: `${id}/${key}`, component, config: { ...shared, ...own }, device }]
    })
  }
}
