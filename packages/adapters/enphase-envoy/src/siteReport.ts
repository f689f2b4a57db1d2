import type { DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { observe } from "@edp/adapter-kit/decoding/observation"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { BatteryInventory, BatteryTotals } from "./ensemble.ts"
import type { GatewayCredentials } from "./GatewayCredentials.ts"
import type { MeterValues } from "./meters.ts"
import type { Solar } from "./production.ts"
import { type StorageSettings, strategyFor } from "./tariff.ts"

/** The devices of a site: all microinverters, all batteries, and the meter at the grid. */
export type SiteDevice = "inverter" | "battery" | "meter"

/** Power at the grid; energies and voltage where a meter measures there. */
export type Grid =
  | ({ readonly isMeasured: true } & MeterValues)
  | { readonly isMeasured: false; readonly power: number; readonly measuredAt: number | null }

export interface Batteries {
  readonly inventory: BatteryInventory
  readonly totals: BatteryTotals | undefined
  /** W; discharging is positive. */
  readonly power: number | undefined
  /** W; null if it is not known. */
  readonly ratedPower: number | null
  readonly settings: StorageSettings | undefined
}

/** The parts of a site that a gateway showed; undefined where it has no such part, `unread` where it has one that could not be read. */
export interface Site {
  readonly solar: Solar | "unread" | undefined
  readonly grid: Grid | "unread" | undefined
  readonly batteries: Batteries | undefined
  /** Responses that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

export const batteryCommands: ReadonlyArray<CommandSlug> = ["battery:set-reserve", "battery:set-operating-mode"]

/** Batteries show some watts while nothing flows. */
const IDLE_WATTS = 50

const activity = (power: number | undefined) =>
  power === undefined ? undefined : power > IDLE_WATTS ? "discharging" : power < -IDLE_WATTS ? "charging" : "idle"

export const deviceId = ({ serial }: Pick<GatewayCredentials, "serial">, device: SiteDevice): string =>
  `${serial}/${device}`

const commandsFor = ({ settings }: Batteries) => (settings === undefined ? [] : batteryCommands)

const batteryStatic = ({ inventory, ratedPower, totals }: Batteries) => ({
  capacity: totals?.capacity ?? inventory.capacity ?? undefined,
  numberOfBatteries: inventory.serials.length,
  ...(ratedPower !== null && ratedPower > 0 && { maxChargeRate: ratedPower, maxDischargeRate: ratedPower })
})

const batteryState = ({ power, settings, totals }: Batteries) => ({
  chargingState: activity(power),
  charge: totals?.charge,
  chargePercentage: totals?.chargePercentage,
  chargeRate: power,
  backupReserve: settings?.reserve ?? totals?.reserve,
  strategy: settings === undefined ? undefined : (strategyFor(settings.mode) ?? "unknown")
})

const gridState = (grid: Grid) =>
  grid.isMeasured
    ? {
        power: grid.power,
        importedEnergy: grid.delivered,
        exportedEnergy: grid.received,
        voltage: grid.voltage,
        current: grid.current
      }
    : { power: grid.power }

/** A time of the gateway in milliseconds since 1970, which may be ahead; that of the response where it has none. */
const measured = (time: number | null, now: number) => (time === null ? now : Math.min(time, now))

/** The observations of a site at a time. A part that could not be read has a device without a state. */
export const observations = (
  credentials: GatewayCredentials,
  { batteries, grid, problems, solar }: Site,
  now: number
): ReadonlyArray<DeviceObservation> => {
  const observation = (
    device: SiteDevice,
    seen: {
      readonly observedAt: number
      readonly reported?: Readonly<Record<string, unknown>>
      readonly fixed?: object
    },
    more: { readonly commands?: ReadonlyArray<CommandSlug>; readonly problems?: ReadonlyArray<string> } = {}
  ): DeviceObservation => {
    const sentences = [...problems, ...(more.problems ?? [])]
    const decoded =
      seen.reported === undefined
        ? undefined
        : observe(device, seen.reported, seen.fixed as Readonly<Record<string, unknown>> | undefined, sentences)
    const hasStatic = decoded !== undefined && device === "battery" && "capacity" in decoded.staticState
    return {
      manufacturerDeviceId: deviceId(credentials, device),
      observedAt: seen.observedAt,
      // Without one of the contract's required fields it is no reading: what is not known is left out, never 0.
      state: decoded !== undefined && decoded.missing.length === 0 ? decoded.state : null,
      asleep: false,
      coordinates: null,
      staticState: hasStatic ? decoded.staticState : null,
      commands: more.commands ?? null,
      interventions: decoded === undefined ? null : [],
      problems: decoded?.problems ?? sentences
    }
  }
  const list: Array<DeviceObservation> = []
  if (solar === "unread") list.push(observation("inverter", { observedAt: now }))
  else if (solar !== undefined) {
    const reported = { power: solar.power, lifetimeEnergyGenerated: solar.energy }
    list.push(observation("inverter", { observedAt: measured(solar.measuredAt, now), reported }))
  }
  if (batteries !== undefined) {
    const { settings } = batteries
    const isUnknown = settings !== undefined && strategyFor(settings.mode) === undefined
    list.push(
      observation(
        "battery",
        { observedAt: now, reported: batteryState(batteries), fixed: batteryStatic(batteries) },
        {
          ...(settings !== undefined && { commands: commandsFor(batteries) }),
          problems: isUnknown ? [`The mode ${JSON.stringify(settings.mode)} of the batteries is not known`] : []
        }
      )
    )
  }
  if (grid === "unread") list.push(observation("meter", { observedAt: now }))
  else if (grid !== undefined) {
    list.push(observation("meter", { observedAt: measured(grid.measuredAt, now), reported: gridState(grid) }))
  }
  return list
}

/** The devices of a site, all of which were read. */
export const discovered = (
  credentials: GatewayCredentials,
  { batteries, grid, solar }: Site
): ReadonlyArray<DiscoveredDevice> => {
  const name = credentials.givenName ?? "Enphase"
  const device = (type: SiteDevice, label: string, model: string): DiscoveredDevice => ({
    manufacturerDeviceId: deviceId(credentials, type),
    type,
    name: `${name} ${label}`,
    model,
    serialNumber: credentials.serial,
    rawType: type,
    rawModel: null,
    modelYear: null,
    staticState: null,
    commands: [],
    incompatible: null
  })
  const list: Array<DiscoveredDevice> = []
  if (solar !== undefined) list.push(device("inverter", "solar", "Enphase IQ microinverters"))
  if (batteries !== undefined) {
    const { capacity, ...others } = batteryStatic(batteries)
    const isKnown = capacity !== undefined && capacity > 0
    list.push({
      ...device("battery", "battery", "Enphase IQ Battery"),
      rawModel: batteries.inventory.partNumber,
      staticState: isKnown ? { capacity, ...others } : null,
      commands: commandsFor(batteries),
      incompatible: isKnown ? null : "The gateway does not report the capacity of the batteries."
    })
  }
  if (grid !== undefined) list.push(device("meter", "grid", "Consumption meter of an IQ Gateway"))
  return list
}
