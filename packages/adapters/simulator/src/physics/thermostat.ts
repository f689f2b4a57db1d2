import { type LocalTime, STEP_HOURS } from "./clock.ts"

export const thermostatModes = ["heat", "cool", "auto", "eco", "off"] as const
export type ThermostatMode = (typeof thermostatModes)[number]
export const fanModes = ["auto", "on", "off", "circulate"] as const
export type FanMode = (typeof fanModes)[number]

/** Setpoints, degrees Fahrenheit. */
export interface Targets {
  readonly heatTarget: number
  readonly coolTarget: number
}

/** A period of the daily schedule; it lasts until the next one. `minute` counts from local midnight. */
export interface SchedulePeriod extends Targets {
  readonly minute: number
}

export interface ThermostatProfile {
  readonly allowedModes: ReadonlyArray<ThermostatMode>
  readonly allowedFanModes: ReadonlyArray<FanMode>
  readonly minHeatSetpoint: number
  readonly maxHeatSetpoint: number
  readonly minCoolSetpoint: number
  readonly maxCoolSetpoint: number
  readonly mode: ThermostatMode
  readonly fanMode: FanMode
  /** In the order of their minutes; empty if the thermostat has no schedule. */
  readonly schedule: ReadonlyArray<SchedulePeriod>
  /** Electrical power of the heat pump with its fan, W, and its coefficients of performance. */
  readonly power: number
  readonly heatingPerformance: number
  readonly coolingPerformance: number
  /** Heat that the house loses per degree of difference, W/°F, and takes per degree of warming, Wh/°F. */
  readonly heatLoss: number
  readonly heatCapacity: number
  /** Windows to the sun, m². */
  readonly windowArea: number
}

/** `hold` keeps targets that were set by a command until the next period begins. */
export type ScheduleStatus = "running" | "hold" | "paused" | "none"

/** The settings that a command changes and the end of a forced mode restores. */
export interface ThermostatSettings extends Targets {
  readonly mode: ThermostatMode
  readonly schedule: ScheduleStatus
}

export interface ThermostatState {
  /** Temperature of the house, degrees Fahrenheit. */
  readonly temperature: number
  readonly settings: ThermostatSettings
  readonly fanMode: FanMode
  readonly activity: "heating" | "cooling" | "idle"
  /** Power in the last step, whole W. */
  readonly power: number
  /** Index in the schedule of the period that holds; -1 without a schedule. */
  readonly period: number
  /** The settings to restore and the step at which they return, milliseconds since 1970. */
  readonly revert: { readonly to: ThermostatSettings; readonly until: number } | null
}

/** Eco is a wide range that saves energy. */
const ECO: Targets = { heatTarget: 62, coolTarget: 84 }
const NO_SCHEDULE: Targets = { heatTarget: 68, coolTarget: 76 }
/** Heating and cooling switch this far below and above the target, degrees Fahrenheit. */
const HALF_BAND = 0.5
/** The fan alone, W. Circulating runs it for the first third of each hour. */
const FAN_POWER = 300
const CIRCULATE_MINUTES = 20
/** Share of the irradiance on level ground that becomes heat behind a square metre of window. */
const SOLAR_GAIN = 0.4
/** Share of the household's use that stays in the house as heat, and the people in it, W. */
const INTERNAL_GAIN = 0.7
const PEOPLE = 150

/** The period of a minute; before the first one of the day the last one of the day before holds. */
export const findPeriod = (schedule: ReadonlyArray<SchedulePeriod>, minute: number): number => {
  let found = schedule.length - 1
  for (let index = 0; index < schedule.length; index++) if (schedule[index]!.minute <= minute) found = index
  return schedule.length > 0 && minute < schedule[0]!.minute ? schedule.length - 1 : found
}

const targetsIn = (profile: ThermostatProfile, period: number): Targets => {
  const { heatTarget, coolTarget } = profile.schedule[period] ?? NO_SCHEDULE
  return { heatTarget, coolTarget }
}

export const initialThermostat = (profile: ThermostatProfile, local: LocalTime): ThermostatState => {
  const period = findPeriod(profile.schedule, local.minute)
  const targets = targetsIn(profile, period)
  return {
    temperature: (targets.heatTarget + targets.coolTarget) / 2,
    settings: { ...targets, mode: profile.mode, schedule: profile.schedule.length === 0 ? "none" : "running" },
    fanMode: profile.fanMode,
    activity: "idle",
    power: 0,
    period,
    revert: null
  }
}

/** The setpoints that hold: eco has its own. */
export const targetsOn = (settings: ThermostatSettings): Targets => (settings.mode === "eco" ? ECO : settings)

/** A new period of the schedule ends a hold; a paused schedule changes nothing. */
const followSchedule = (profile: ThermostatProfile, state: ThermostatState, minute: number): ThermostatState => {
  const period = findPeriod(profile.schedule, minute)
  if (period === state.period) return state
  const { schedule } = state.settings
  if (schedule !== "running" && schedule !== "hold") return { ...state, period }
  return { ...state, period, settings: { ...state.settings, ...targetsIn(profile, period), schedule: "running" } }
}

/** The settings when the schedule runs again: the targets of the period that holds now. */
export const resumed = (profile: ThermostatProfile, state: ThermostatState): ThermostatSettings => ({
  ...state.settings,
  ...targetsIn(profile, state.period),
  schedule: "running"
})

/** Two-point control with hysteresis. */
const nextActivity = ({ settings, activity, temperature }: ThermostatState): ThermostatState["activity"] => {
  const { heatTarget, coolTarget } = targetsOn(settings)
  const heats = settings.mode === "heat" || settings.mode === "auto" || settings.mode === "eco"
  const cools = settings.mode === "cool" || settings.mode === "auto" || settings.mode === "eco"
  if (heats && temperature < heatTarget + (activity === "heating" ? HALF_BAND : -HALF_BAND)) return "heating"
  if (cools && temperature > coolTarget + (activity === "cooling" ? -HALF_BAND : HALF_BAND)) return "cooling"
  return "idle"
}

const fanRuns = (fanMode: FanMode, minute: number) =>
  fanMode === "on" || (fanMode === "circulate" && minute % 60 < CIRCULATE_MINUTES)

export interface HouseSituation {
  readonly local: LocalTime
  /** Outdoors, degrees Fahrenheit. */
  readonly outdoors: number
  /** Irradiance on level ground, W/m². */
  readonly irradiance: number
  /** Use of the household, W. */
  readonly householdPower: number
}

/**
 * One step of the house, a single heat capacity behind a single resistance: C dT/dt = (outdoors - T) UA + heat. The
 * temperature approaches its equilibrium exponentially, which is exact for constant heat.
 */
export const stepThermostat = (
  profile: ThermostatProfile,
  before: ThermostatState,
  situation: HouseSituation
): ThermostatState => {
  const state = followSchedule(profile, before, situation.local.minute)
  const activity = nextActivity(state)
  const fan = fanRuns(state.fanMode, situation.local.minute) ? FAN_POWER : 0
  const power = activity === "idle" ? fan : profile.power
  const pumped =
    activity === "heating"
      ? profile.power * profile.heatingPerformance
      : activity === "cooling"
        ? -profile.power * profile.coolingPerformance
        : fan
  const gains =
    pumped + PEOPLE + INTERNAL_GAIN * situation.householdPower + SOLAR_GAIN * profile.windowArea * situation.irradiance
  const equilibrium = situation.outdoors + gains / profile.heatLoss
  const decay = Math.exp((-STEP_HOURS * profile.heatLoss) / profile.heatCapacity)
  const temperature = equilibrium + (state.temperature - equilibrium) * decay
  return { ...state, activity, power, temperature }
}
