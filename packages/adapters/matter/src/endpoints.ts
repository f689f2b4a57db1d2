/** Attributes of a cluster by their names in the Matter specification, in camel case. */
export type Attributes = Readonly<Record<string, unknown>>

/** An endpoint of a node, with the clusters that concern energy. */
export interface MatterEndpoint {
  readonly number: number
  /** The endpoint that this one is a part of; null for the root. */
  readonly parent: number | null
  /** Identifiers of device types, such as 0x50c for a charging station. */
  readonly deviceTypes: ReadonlyArray<number>
  readonly clusters: Readonly<Record<string, Attributes>>
}

export type Endpoints = ReadonlyMap<number, MatterEndpoint>

/** The clusters that are read, by their names. */
export const readClusters = [
  "basicInformation",
  "bridgedDeviceBasicInformation",
  "descriptor",
  "deviceEnergyManagement",
  "electricalEnergyMeasurement",
  "electricalPowerMeasurement",
  "energyEvse",
  "fanControl",
  "powerSource",
  "temperatureMeasurement",
  "thermostat",
  "userLabel",
  "waterHeaterManagement",
  "waterHeaterMode"
] as const

export type ClusterName = (typeof readClusters)[number]

export const cluster = (endpoint: MatterEndpoint | undefined, name: ClusterName): Attributes | undefined =>
  endpoint !== undefined && Object.hasOwn(endpoint.clusters, name) ? endpoint.clusters[name] : undefined

/** A number; undefined for null, which stands for a value that the device does not know. */
export const numberFrom = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

/** A number in thousandths of the unit that the platform uses, such as mW and mWh. */
export const fromMilli = (value: unknown): number | undefined => {
  const number = numberFrom(value)
  return number === undefined ? undefined : number / 1000
}

export const textFrom = (value: unknown): string | undefined => {
  const text = typeof value === "string" ? value.replaceAll(/\p{C}/gu, "").trim() : ""
  return text === "" ? undefined : text
}

/** Whether a bitmap of an attribute, such as `featureMap`, has a bit set. */
export const hasBit = (bits: unknown, name: string): boolean =>
  typeof bits === "object" && bits !== null && (bits as Attributes)[name] === true

/** Whether a cluster has a feature of its specification. */
export const hasFeature = (attributes: Attributes | undefined, name: string): boolean =>
  hasBit(attributes?.["featureMap"], name)

/** The endpoint and everything that is a part of it, nearest first. Parts that are left out, and what is a part of these, are not. */
export const withParts = (
  endpoints: Endpoints,
  number: number,
  isLeftOut: (part: MatterEndpoint) => boolean = () => false
): ReadonlyArray<MatterEndpoint> => {
  const top = endpoints.get(number)
  if (top === undefined) return []
  const found = [top]
  for (const one of found) {
    for (const other of endpoints.values()) {
      if (other.parent === one.number && !found.includes(other) && !isLeftOut(other)) found.push(other)
    }
  }
  return found
}

/** The endpoint and what it is a part of, up to the root. */
export const withParents = (endpoints: Endpoints, number: number): ReadonlyArray<MatterEndpoint> => {
  const found: Array<MatterEndpoint> = []
  for (let at: number | null = number; at !== null;) {
    const endpoint = endpoints.get(at)
    if (endpoint === undefined || found.includes(endpoint)) break
    found.push(endpoint)
    at = endpoint.parent
  }
  return found
}
