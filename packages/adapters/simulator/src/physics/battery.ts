import { STEP_HOURS } from "./clock.ts"

export const batteryStrategies = ["self_consumption", "time_of_use", "backup"] as const
export type BatteryStrategy = (typeof batteryStrategies)[number]

export interface BatteryProfile {
  /** Usable capacity, Wh. */
  readonly capacity: number
  /** Continuous power at the site's bus, W, both positive. */
  readonly maxChargeRate: number
  readonly maxDischargeRate: number
  readonly numberOfBatteries: number
  /** Share of the energy charged that comes out again, above 0 and at most 1; half of the loss is on each way. */
  readonly roundTripEfficiency: number
  /** Whether the battery's own strategies may charge it from the grid. Storm mode always may. */
  readonly chargesFromGrid: boolean
  readonly stormModeEnabled: boolean
  readonly strategy: BatteryStrategy
  /** Percent of the capacity, 0 to 100. */
  readonly backupReserve: number
  readonly initialPercentage: number
}

export interface BatterySettings {
  readonly strategy: BatteryStrategy
  /** Percent of the capacity below which the battery does not discharge. */
  readonly backupReserve: number
}

/** A forced mode overrides the strategy until it ends. */
export interface ForcedBatteryMode {
  readonly mode: "charge" | "discharge" | "idle"
  /** Step at which it ends; null: it holds until a reset. Milliseconds since 1970. */
  readonly until: number | null
  /** Percent at which charging stops. */
  readonly maximum: number
  /** Whether it may import to charge, and export what the home does not use. */
  readonly withGrid: boolean
  /** W that it charges or discharges with at most; the greatest power without it. */
  readonly power?: number
}

export interface BatteryState {
  /** Energy stored, Wh: 0 to the capacity. */
  readonly charge: number
  /** Power at the bus in the last step, whole W: positive is discharging, negative is charging. */
  readonly power: number
  readonly settings: BatterySettings
  readonly forced: ForcedBatteryMode | null
  /** The settings from before the first forced mode, and the time of that mode. */
  readonly saved: { readonly settings: BatterySettings; readonly at: number } | null
}

export const initialBattery = (profile: BatteryProfile): BatteryState => ({
  charge: (profile.capacity * profile.initialPercentage) / 100,
  power: 0,
  settings: { strategy: profile.strategy, backupReserve: profile.backupReserve },
  forced: null,
  saved: null
})

/** The surroundings of the battery in a step. */
export interface BatterySituation {
  /** Use of the home less solar power, W; negative is a surplus. */
  readonly net: number
  readonly isStorm: boolean
  readonly price: "offPeak" | "middle" | "peak"
}

/** Charging slows down above this share of the capacity, to a tenth of the rate when full. */
const TAPER_FROM = 0.9
const TAPER_END = 0.1
/** A strategy that may use the grid charges from it with this share of the maximum rate. */
const GRID_CHARGE_SHARE = 0.5
/** Time-of-use charges to this percentage at night and leaves the rest to the sun. */
const OFF_PEAK_TARGET = 90

/** The intended power at the bus (W, positive is discharging) and the percentages between which it may move. */
interface Intent {
  readonly power: number
  readonly floor: number
  readonly ceiling: number
}

const intend = (profile: BatteryProfile, state: BatteryState, situation: BatterySituation): Intent => {
  const { forced, settings } = state
  const floor = settings.backupReserve
  const most = { charge: profile.maxChargeRate, discharge: profile.maxDischargeRate }
  const surplus = Math.min(most.charge, Math.max(0, -situation.net))
  const demand = Math.min(most.discharge, Math.max(0, situation.net))
  const fromGrid = profile.chargesFromGrid ? GRID_CHARGE_SHARE * profile.maxChargeRate : 0
  if (situation.isStorm) return { power: -profile.maxChargeRate, floor: 100, ceiling: 100 }
  if (forced?.mode === "idle") return { power: 0, floor, ceiling: 100 }
  const asked = forced?.power ?? Number.POSITIVE_INFINITY
  if (forced?.mode === "charge")
    return { power: -Math.min(asked, forced.withGrid ? most.charge : surplus), floor, ceiling: forced.maximum }
  if (forced?.mode === "discharge")
    return { power: Math.min(asked, forced.withGrid ? most.discharge : demand), floor, ceiling: 100 }
  if (settings.strategy === "backup") return { power: -Math.max(surplus, fromGrid), floor: 100, ceiling: 100 }
  const isBelowReserve = state.charge < (profile.capacity * floor) / 100
  if (isBelowReserve) return { power: -Math.max(surplus, fromGrid), floor, ceiling: surplus > fromGrid ? 100 : floor }
  if (settings.strategy === "self_consumption" || situation.price === "peak")
    return { power: surplus > 0 ? -surplus : demand, floor, ceiling: 100 }
  if (situation.price === "offPeak" && fromGrid > surplus)
    return { power: -fromGrid, floor, ceiling: Math.max(floor, OFF_PEAK_TARGET) }
  return { power: -surplus, floor, ceiling: 100 }
}

/** Limits the intended power by what the battery takes, holds and may give within a step; whole W. */
const limit = (profile: BatteryProfile, charge: number, { power, floor, ceiling }: Intent): number => {
  const efficiency = Math.sqrt(profile.roundTripEfficiency)
  if (power > 0) {
    const available = charge - (profile.capacity * floor) / 100
    return Math.floor(Math.max(0, Math.min(power, profile.maxDischargeRate, (available * efficiency) / STEP_HOURS)))
  }
  const filled = charge / profile.capacity
  const taper = filled <= TAPER_FROM ? 1 : 1 - ((filled - TAPER_FROM) / (1 - TAPER_FROM)) * (1 - TAPER_END)
  const room = (profile.capacity * ceiling) / 100 - charge
  const rate = Math.min(-power, profile.maxChargeRate * taper, room / efficiency / STEP_HOURS)
  return rate < 1 ? 0 : -Math.floor(rate)
}

/** One step: the power at the bus, and the energy stored after it. */
export const stepBattery = (
  profile: BatteryProfile,
  state: BatteryState,
  situation: BatterySituation
): BatteryState => {
  const power = limit(profile, state.charge, intend(profile, state, situation))
  const efficiency = Math.sqrt(profile.roundTripEfficiency)
  const stored = power > 0 ? -power / efficiency : -power * efficiency
  const charge = Math.min(profile.capacity, Math.max(0, state.charge + stored * STEP_HOURS))
  return { ...state, power, charge }
}
