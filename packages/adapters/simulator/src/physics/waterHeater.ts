import { type LocalTime, STEP_HOURS } from "./clock.ts"
import { happens, uniform } from "./random.ts"

export const waterHeaterModes = ["heat_pump", "electric", "high_demand", "vacation", "off"] as const
export type WaterHeaterMode = (typeof waterHeaterModes)[number]

export interface WaterHeaterProfile {
  /** Volume of the tank, litres. */
  readonly volume: number
  readonly mode: WaterHeaterMode
  /** Setpoint, degrees Fahrenheit. */
  readonly targetTemperature: number
  /** Electrical power of the heating element and of the heat pump, W, and the heat pump's coefficient of performance. */
  readonly elementPower: number
  readonly heatPumpPower: number
  readonly performance: number
  /** Standby loss, W per °F of difference. */
  readonly heatLoss: number
}

export interface WaterHeaterState {
  /** Temperature of the tank, degrees Fahrenheit. */
  readonly temperature: number
  readonly isHeating: boolean
  /** Power in the last step, whole W. */
  readonly power: number
}

const streams = { draw: 41, start: 42, litres: 43 }

/** Heat of a litre of water: 4186 J/(kg K) is 0.646 Wh per litre and °F. */
const WH_PER_LITRE_DEGREE = 0.646
const ROOM_TEMPERATURE = 68
const MAINS_TEMPERATURE = 58
/** Water below this temperature, degrees Fahrenheit, is not hot. */
const TEPID = 100
const VACATION_TARGET = 60
/** Heating begins this far below the target, degrees Fahrenheit. */
const BAND = 7
const DRAW_MINUTES = 8

export const initialWaterHeater = (profile: WaterHeaterProfile): WaterHeaterState => ({
  temperature: profile.targetTemperature - 2,
  isHeating: false,
  power: 0
})

/** Litres drawn in a minute: showers in the morning and in the evening, dishes between them. */
const drawnLitres = (seed: number, { day, minute }: LocalTime): number => {
  const hour = Math.floor(minute / 60)
  const index = day * 24 + hour
  const probability = hour >= 6 && hour < 9 ? 0.6 : hour >= 17 && hour < 22 ? 0.4 : hour >= 9 && hour < 17 ? 0.12 : 0.02
  if (!happens(probability, seed, streams.draw, index)) return 0
  const since = (minute % 60) - Math.floor(uniform(seed, streams.start, index) * (60 - DRAW_MINUTES))
  return since >= 0 && since < DRAW_MINUTES ? 2 + 5 * uniform(seed, streams.litres, index) : 0
}

/** Electrical power and heat of a mode while it heats, W. */
const source = (profile: WaterHeaterProfile) => {
  const pumped = profile.heatPumpPower * profile.performance
  switch (profile.mode) {
    case "heat_pump":
      return { power: profile.heatPumpPower, heat: pumped }
    case "electric":
    case "vacation":
      return { power: profile.elementPower, heat: profile.elementPower }
    case "high_demand":
      return { power: profile.elementPower + profile.heatPumpPower, heat: profile.elementPower + pumped }
    case "off":
      return { power: 0, heat: 0 }
  }
}

export const stepWaterHeater = (
  profile: WaterHeaterProfile,
  state: WaterHeaterState,
  seed: number,
  local: LocalTime
): WaterHeaterState => {
  const target = profile.mode === "vacation" ? VACATION_TARGET : profile.targetTemperature
  const isHeating = profile.mode !== "off" && state.temperature < target - (state.isHeating ? 0 : BAND)
  const { power, heat } = isHeating ? source(profile) : { power: 0, heat: 0 }
  const lost = profile.heatLoss * (state.temperature - ROOM_TEMPERATURE) * STEP_HOURS
  const drawn = drawnLitres(seed, local) * WH_PER_LITRE_DEGREE * (state.temperature - MAINS_TEMPERATURE)
  const gained = heat * STEP_HOURS - lost - drawn
  return {
    temperature: state.temperature + gained / (profile.volume * WH_PER_LITRE_DEGREE),
    isHeating,
    power: Math.round(power)
  }
}

/** Hot water that is left, percent: the heat above tepid, of that of a tank at its target. */
export const availableHotWater = (profile: WaterHeaterProfile, { temperature }: WaterHeaterState): number => {
  const share = (temperature - TEPID) / Math.max(1, profile.targetTemperature - TEPID)
  return Math.round(100 * Math.min(1, Math.max(0, share)))
}
