import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { BatteryStatic, VehicleStatic } from "@edp/domain/devices/StaticState"
import { orNull, type Product, type SiteInfo, type VehicleData, withoutNulls } from "./responses.ts"
import { pairingRequired } from "./pairing.ts"

/** A device of an account. Devices of one site share its responses. */
export interface TeslaDevice {
  readonly manufacturerDeviceId: string
  readonly type: Extract<DeviceType, "battery" | "inverter" | "charger" | "vehicle">
  readonly name: string
  readonly serialNumber: string | null
  readonly rawType: string
  readonly rawModel: string | null
  /** The id in the paths of the API. */
  readonly source: { readonly vin: string } | { readonly energySiteId: string; readonly din: string | null }
}

export const batteryId = (energySiteId: string) => `${energySiteId}:battery`
export const inverterId = (energySiteId: string) => `${energySiteId}:solar`
export const wallConnectorId = (energySiteId: string, din: string) => `${energySiteId}:wall-connector:${din}`

/** The energy site in a device's id; null for a vehicle, whose id is its VIN. */
export const findSite = (manufacturerDeviceId: string): string | null => {
  const at = manufacturerDeviceId.indexOf(":")
  return at < 0 ? null : manufacturerDeviceId.slice(0, at)
}

const siteDevices = (product: Product, energySiteId: string): ReadonlyArray<TeslaDevice> => {
  const { components } = product
  const name = orNull(product.site_name) ?? "Energy site"
  const shared = { serialNumber: null, rawType: orNull(product.resource_type) ?? "energy_site", rawModel: null }
  const hasBattery = components?.battery ?? product.resource_type === "battery"
  const hasSolar = components?.solar ?? product.resource_type === "solar"
  const battery: ReadonlyArray<TeslaDevice> = hasBattery
    ? [
        {
          ...shared,
          manufacturerDeviceId: batteryId(energySiteId),
          type: "battery",
          name: `${name} battery`,
          serialNumber: orNull(product.gateway_id),
          source: { energySiteId, din: null }
        }
      ]
    : []
  const inverter: ReadonlyArray<TeslaDevice> = hasSolar
    ? [
        {
          ...shared,
          manufacturerDeviceId: inverterId(energySiteId),
          type: "inverter",
          name: `${name} solar`,
          source: { energySiteId, din: null }
        }
      ]
    : []
  return [...battery, ...inverter, ...wallConnectors(energySiteId, name, components?.wall_connectors ?? [])]
}

const wallConnectors = (
  energySiteId: string,
  name: string,
  connectors: ReadonlyArray<{
    readonly din?: string | null
    readonly serial_number?: string | null
    readonly part_name?: string | null
  }>
): ReadonlyArray<TeslaDevice> =>
  connectors.flatMap(({ din, part_name, serial_number }) =>
    din === undefined || din === null
      ? []
      : [
          {
            manufacturerDeviceId: wallConnectorId(energySiteId, din),
            type: "charger",
            name: `${name} wall connector`,
            serialNumber: serial_number ?? null,
            rawType: "wall_connector",
            rawModel: part_name ?? null,
            source: { energySiteId, din }
          } as const
        ]
  )

/** The devices of an account's products. A product that is neither a vehicle nor an energy site is left out. */
export const devicesFromProducts = (products: ReadonlyArray<Product>): ReadonlyArray<TeslaDevice> =>
  products.flatMap((product) => {
    const { energy_site_id, vin } = product
    if (energy_site_id !== undefined && energy_site_id !== null) return siteDevices(product, String(energy_site_id))
    if (vin === undefined || vin === null) return []
    return [
      {
        manufacturerDeviceId: vin,
        type: "vehicle",
        name: orNull(product.display_name) ?? vin,
        serialNumber: vin,
        rawType: "vehicle",
        rawModel: null,
        source: { vin }
      } as const
    ]
  })

/** Wall connectors that only the site's information lists; the list of products may leave them out. */
export const devicesFromSiteInfo = (energySiteId: string, info: SiteInfo): ReadonlyArray<TeslaDevice> =>
  wallConnectors(energySiteId, orNull(info.site_name) ?? "Energy site", info.components?.wall_connectors ?? [])

/** The sum of a rating over all batteries; null if one has none, since a part of a sum is wrong. */
const total = (values: ReadonlyArray<number | null | undefined>): number | null =>
  values.length === 0
    ? null
    : values.reduce<number | null>(
        (sum, value) => (sum === null || value === null || value === undefined ? null : sum + value),
        0
      )

/**
 * Ratings of a site's battery: Wh and W, summed over its batteries. The site's own `nameplate_energy` disagrees with that
 * sum in recorded responses and counts only where no battery is listed. Null without a capacity.
 */
export const batteryStatic = ({
  battery_count,
  components,
  nameplate_energy
}: SiteInfo): typeof BatteryStatic.Type | null => {
  const batteries = components?.batteries ?? []
  const capacity = total(batteries.map((one) => one.nameplate_energy)) ?? orNull(nameplate_energy)
  if (capacity === null || capacity <= 0) return null
  const positive = (value: number | null) => (value !== null && value > 0 ? value : null)
  return {
    capacity,
    ...withoutNulls({
      maxChargeRate: positive(total(batteries.map((one) => one.nameplate_max_charge_power))),
      maxDischargeRate: positive(total(batteries.map((one) => one.nameplate_max_discharge_power))),
      numberOfBatteries: positive(battery_count ?? (batteries.length === 0 ? null : batteries.length))
    })
  }
}

/** Pairing does not apply to a vehicle that takes unsigned commands. `paired` is null while it is not known. */
export const vehicleStatic = (
  data: VehicleData,
  pairing: { readonly paired: boolean; readonly required: boolean } | null
): typeof VehicleStatic.Type => {
  const carType = orNull(data.vehicle_config?.car_type)
  const required = pairing?.required ?? pairingRequired(orNull(data.vin), carType, null)
  return {
    keyPaired: required === true && pairing !== null ? pairing.paired : null,
    ...(carType === null ? {} : { extendedCapabilities: { carType } })
  }
}

const onlineStatuses = new Set(["online", "asleep", "offline"])

/** The reachability of a vehicle, which asking for does not wake. */
export const onlineStatus = (state: string | null | undefined): OnlineStatus =>
  state !== null && state !== undefined && onlineStatuses.has(state) ? (state as OnlineStatus) : "unknown"
