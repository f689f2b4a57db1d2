import {
  type ChargerProfile,
  type ChargingSession,
  mayCharge,
  MIN_CURRENT,
  newSession,
  NOMINAL_VOLTAGE,
  OUTLET
} from "./charging.ts"
import { type LocalTime, STEP_HOURS, STEP_MS } from "./clock.ts"
import { accept, alreadySo, type Applied, refuse } from "./commandResult.ts"
import { happens, uniform } from "./random.ts"

export interface VehicleProfile {
  /** Usable capacity of the battery, Wh. */
  readonly capacity: number
  /** Energy per mile, Wh. */
  readonly whPerMile: number
  /** Greatest current of the on-board charger, A. */
  readonly maxCurrent: number
  /** Miles to work and back. */
  readonly commuteMiles: number
  /** Percent of the capacity. */
  readonly initialPercentage: number
  readonly chargeLimit: number
  /** Whether commands need a paired key, and whether it is paired at the start. */
  readonly keyRequired: boolean
  readonly keyPaired: boolean
}

export interface VehicleState {
  /** Energy stored, Wh: 0 to the capacity. */
  readonly charge: number
  /** Percent at which charging stops. */
  readonly chargeLimit: number
  readonly position: "home" | "driving" | "away"
  readonly plug: "none" | "home" | "public"
  /** Power drawn by charging in the last step, whole W, and its voltage and current. */
  readonly power: number
  readonly voltage: number
  readonly current: number
  /** Time when charging was last completed, milliseconds since 1970. */
  readonly completedAt: number | null
  /** Time of the last drive, charge or command, milliseconds since 1970. */
  readonly activeAt: number
  readonly keyPaired: boolean
  readonly session: ChargingSession
}

const streams = { trip: 31, leave: 32, back: 33, miles: 34, plug: 35 }

/** From the socket to the battery. */
const CHARGE_EFFICIENCY = 0.92
/** Charging slows down above this share of the capacity, to three tenths of the current when full. */
const TAPER_FROM = 0.8
const TAPER_END = 0.3
/** A vehicle sleeps after this long without activity, and a sleeping one takes this long to wake for a command. */
const SLEEP_AFTER = 20 * STEP_MS
export const WAKE_SECONDS = 30
/** A public fast charger: used below the first share of the capacity, left at the second. */
const PUBLIC = { power: 50_000, voltage: 400, from: 0.2, to: 0.6 }
/** The charge counts as complete this close to the limit, Wh. */
const CLOSE = 1

export const initialVehicle = (profile: VehicleProfile, time: number): VehicleState => ({
  charge: (profile.capacity * profile.initialPercentage) / 100,
  chargeLimit: profile.chargeLimit,
  position: "home",
  plug: "home",
  power: 0,
  voltage: 0,
  current: 0,
  completedAt: null,
  activeAt: time,
  keyPaired: profile.keyPaired,
  session: newSession
})

interface Trip {
  /** Minutes of the local day. */
  readonly leave: number
  readonly back: number
  /** Minutes and miles of each way. */
  readonly minutes: number
  readonly miles: number
}

/** The trip of a day: to work on nearly every workday, an outing on half of the other days. */
export const tripOnDay = (profile: VehicleProfile, seed: number, day: number, weekday: number): Trip | null => {
  const isWorkday = weekday !== 0 && weekday !== 6
  if (!happens(isWorkday ? 0.93 : 0.5, seed, streams.trip, day)) return null
  const late = uniform(seed, streams.leave, day)
  const long = uniform(seed, streams.back, day)
  const leave = Math.floor(isWorkday ? 420 + 60 * late : 570 + 240 * late)
  const back = Math.floor(isWorkday ? 1005 + 120 * long : leave + 110 + 180 * long)
  const miles = ((profile.commuteMiles / 2) * (0.7 + 0.6 * uniform(seed, streams.miles, day))) | 0
  return { leave, back, minutes: Math.max(8, Math.min(50, Math.round(miles * 1.6))), miles: Math.max(2, miles) }
}

const positionAt = (trip: Trip | null, minute: number): VehicleState["position"] => {
  if (trip === null || minute < trip.leave || minute >= trip.back) return "home"
  return minute < trip.leave + trip.minutes || minute >= trip.back - trip.minutes ? "driving" : "away"
}

export interface VehicleSituation {
  readonly seed: number
  readonly local: LocalTime
  /** Start of the step, milliseconds since 1970. */
  readonly time: number
  /** Mains voltage, V. */
  readonly voltage: number
  /** Null: a wall outlet. */
  readonly charger: ChargerProfile | null
}

export const isFull = (profile: VehicleProfile, state: VehicleState): boolean =>
  (profile.capacity * state.chargeLimit) / 100 - state.charge < CLOSE

/** Power from a source for one step, whole W, limited by the energy that is missing up to a charge in Wh. */
const takePower = (profile: VehicleProfile, charge: number, power: number, upTo: number): number => {
  const missing = Math.min(profile.capacity, upTo) - charge
  return missing <= 0 ? 0 : Math.floor(Math.min(power, missing / CHARGE_EFFICIENCY / STEP_HOURS))
}

const greatestCurrent = (profile: VehicleProfile, charger: ChargerProfile | null) =>
  Math.min(profile.maxCurrent, charger === null ? OUTLET.maxCurrent : charger.maxCurrent)

/** The least and the greatest power with which the vehicle charges at home, W. */
export const chargeRates = (profile: VehicleProfile, charger: ChargerProfile | null) => {
  const voltage = charger === null ? OUTLET.voltageShare * NOMINAL_VOLTAGE : NOMINAL_VOLTAGE
  return { minChargeRate: MIN_CURRENT * voltage, maxChargeRate: greatestCurrent(profile, charger) * voltage }
}

/** The current at home, whole A, less as the battery fills. */
const homeCurrent = (profile: VehicleProfile, charge: number, charger: ChargerProfile | null): number => {
  const filled = charge / profile.capacity
  const taper = filled <= TAPER_FROM ? 1 : 1 - ((filled - TAPER_FROM) / (1 - TAPER_FROM)) * (1 - TAPER_END)
  const most = greatestCurrent(profile, charger)
  return Math.max(MIN_CURRENT, Math.floor(most * taper))
}

const idle = { power: 0, voltage: 0, current: 0 }

const drawAtHome = (profile: VehicleProfile, state: VehicleState, situation: VehicleSituation) => {
  const { charger, local } = situation
  if (isFull(profile, state) || !mayCharge(state.session, charger?.window ?? null, local.minute)) return idle
  const voltage = charger === null ? situation.voltage * OUTLET.voltageShare : situation.voltage
  const limit = (profile.capacity * state.chargeLimit) / 100
  const current = homeCurrent(profile, state.charge, charger)
  const most = Math.min(Math.round(voltage * current), state.session.power ?? Number.POSITIVE_INFINITY)
  const power = takePower(profile, state.charge, most, limit)
  return { power, voltage, current: Math.min(current, Math.round((10 * power) / voltage) / 10) }
}

const drawInPublic = (profile: VehicleProfile, state: VehicleState) => {
  const power = takePower(profile, state.charge, PUBLIC.power, profile.capacity * PUBLIC.to)
  return { power, voltage: PUBLIC.voltage, current: Math.round((10 * power) / PUBLIC.voltage) / 10 }
}

/** The cable after this minute: taken off to drive, mostly put in at home, and in public if the battery is low. */
const nextPlug = (profile: VehicleProfile, state: VehicleState, position: string, situation: VehicleSituation) => {
  if (position === "driving") return "none"
  const filled = state.charge / profile.capacity
  if (position === "away")
    return filled < (state.plug === "public" ? PUBLIC.to - 0.001 : PUBLIC.from) ? "public" : "none"
  if (state.position === "home") return state.plug
  return filled < 0.5 || happens(0.8, situation.seed, streams.plug, situation.local.day) ? "home" : "none"
}

/** One step of driving, parking and charging. Only power at home is power of the site. */
export const stepVehicle = (
  profile: VehicleProfile,
  state: VehicleState,
  situation: VehicleSituation
): VehicleState => {
  const { local, seed, time } = situation
  const trip = tripOnDay(profile, seed, local.day, local.weekday)
  const position = positionAt(trip, local.minute)
  const plug = nextPlug(profile, state, position, situation)
  const session = plug === "home" ? state.session : newSession
  const plugged = { ...state, position, plug, session } as const
  const flow =
    plug === "home"
      ? drawAtHome(profile, plugged, situation)
      : plug === "public"
        ? drawInPublic(profile, plugged)
        : idle
  const driven = position === "driving" && trip !== null ? (trip.miles / trip.minutes) * profile.whPerMile : 0
  const charge = Math.min(
    profile.capacity,
    Math.max(0, state.charge + flow.power * CHARGE_EFFICIENCY * STEP_HOURS - driven)
  )
  const isActive = flow.power > 0 || position === "driving" || plug !== state.plug
  const next = { ...plugged, ...flow, charge, activeAt: isActive ? time + STEP_MS : state.activeAt }
  const completed = flow.power > 0 && plug === "home" && isFull(profile, next)
  return { ...next, completedAt: completed ? time + STEP_MS : flow.power > 0 ? null : state.completedAt }
}

/** Time at which the vehicle fell asleep, milliseconds since 1970; null if it is awake. */
export const asleepSince = (state: VehicleState, time: number): number | null => {
  const isBusy = state.power > 0 || state.position === "driving"
  return isBusy || time - state.activeAt < SLEEP_AFTER ? null : state.activeAt + SLEEP_AFTER
}

export interface SetChargeLimit {
  /** Percent, 0 to 100. */
  readonly chargeLimit: number
}

/** Vehicles take limits from 50 % on. A limit below the present charge ends charging. */
const LOWEST_LIMIT = 50

export const setChargeLimit = (state: VehicleState, { chargeLimit }: SetChargeLimit): Applied<VehicleState> => {
  if (!(chargeLimit >= LOWEST_LIMIT && chargeLimit <= 100)) return refuse("unsupported_value")
  return state.chargeLimit === chargeLimit ? alreadySo(state) : accept({ ...state, chargeLimit })
}
