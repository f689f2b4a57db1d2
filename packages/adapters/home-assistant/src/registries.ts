import { isObject } from "@edp/adapter-kit/decoding/jsonPath"

/** An entity of the registry that is in use. */
export interface RegisteredEntity {
  readonly entityId: string
  /** Stable while the entity is renamed. */
  readonly id: string
  readonly deviceId: string | null
  /** A sensor or switch of the device's own affairs, such as its signal strength. */
  readonly isAuxiliary: boolean
}

export interface RegisteredDevice {
  readonly id: string
  readonly name: string | null
  readonly manufacturer: string | null
  readonly model: string | null
  readonly serialNumber: string | null
  readonly labels: ReadonlyArray<string>
  /** Whether the platform itself has published it to the instance. */
  readonly isPublished: boolean
}

/** A connection to the grid, a solar system, a battery or a consumer that the energy dashboard names. */
export interface EnergySource {
  readonly kind: "grid" | "solar" | "battery" | "consumer"
  readonly name: string | null
  /** Statistics of energy taken from the grid or the sun, given by the battery, or used by the consumer. */
  readonly from: ReadonlyArray<string>
  /** Statistics of energy fed into the grid, or taken by the battery. */
  readonly to: ReadonlyArray<string>
  /** Statistics of power, which add up: positive is import from the grid, or discharging. */
  readonly power: ReadonlyArray<string>
}

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim() : null)
const objects = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : [])
const listed = (...values: ReadonlyArray<unknown>) => values.flatMap((one) => text(one) ?? [])

/** The result of `config/entity_registry/list`. */
export const readEntityRegistry = (result: unknown): ReadonlyArray<RegisteredEntity> =>
  objects(result).flatMap((one) => {
    const entityId = text(one["entity_id"])
    if (entityId === null || text(one["disabled_by"]) !== null) return []
    return [
      {
        entityId,
        id: text(one["id"]) ?? entityId,
        deviceId: text(one["device_id"]),
        isAuxiliary: text(one["entity_category"]) !== null
      }
    ]
  })

/** The integration by which published devices come, and how their identifiers begin. */
const PUBLISHED = { integration: "mqtt", prefix: "edp_" } as const

/** Identifiers are pairs of an integration and the id that it gives. */
const isPublished = (identifiers: unknown) =>
  Array.isArray(identifiers) &&
  identifiers.some(
    (one) =>
      Array.isArray(one) &&
      one[0] === PUBLISHED.integration &&
      typeof one[1] === "string" &&
      one[1].startsWith(PUBLISHED.prefix)
  )

/** The result of `config/device_registry/list`. */
export const readDeviceRegistry = (result: unknown): ReadonlyArray<RegisteredDevice> =>
  objects(result).flatMap((one) => {
    const id = text(one["id"])
    if (id === null || text(one["disabled_by"]) !== null) return []
    return [
      {
        id,
        name: text(one["name_by_user"]) ?? text(one["name"]),
        manufacturer: text(one["manufacturer"]),
        model: text(one["model"]),
        serialNumber: text(one["serial_number"]),
        labels: listed(...(Array.isArray(one["labels"]) ? one["labels"] : [])),
        isPublished: isPublished(one["identifiers"])
      }
    ]
  })

/** The result of `energy/get_prefs`, also in the older form, in which a grid has lists of flows. Gas and water are left out. */
export const readEnergyPreferences = (result: unknown): ReadonlyArray<EnergySource> => {
  if (!isObject(result)) return []
  const sources = objects(result["energy_sources"]).flatMap((one): ReadonlyArray<EnergySource> => {
    const kind = one["type"]
    if (kind !== "grid" && kind !== "solar" && kind !== "battery") return []
    const each = (list: string, field: string) => objects(one[list]).map((flow) => flow[field])
    return [
      {
        kind,
        name: text(one["name"]),
        from: listed(one["stat_energy_from"], ...each("flow_from", "stat_energy_from")),
        to: listed(one["stat_energy_to"], ...each("flow_to", "stat_energy_to")),
        power: listed(one["stat_rate"], ...each("power", "stat_rate"))
      }
    ]
  })
  const consumers = objects(result["device_consumption"]).map((one): EnergySource => ({
    kind: "consumer",
    name: text(one["name"]),
    from: listed(one["stat_consumption"]),
    to: [],
    power: listed(one["stat_rate"])
  }))
  return [...sources, ...consumers]
}
