import type { LocalTime } from "./clock.ts"
import { happens, normal, smoothNoise, uniform } from "./random.ts"

const streams = { steady: 21, appliance: 22, applianceStart: 23, applianceLength: 24, appliancePower: 25, voltage: 26 }

/** The use of the people in the home, without heating, cooling, hot water and driving. */
export interface Household {
  /** Refrigerator, network, stand-by: W. */
  readonly basePower: number
  /** Size of the daily peaks; 1 is a family of four. */
  readonly activity: number
}

/** A bump around an hour of the day, `width` hours wide, across midnight too. */
const bump = (hour: number, centre: number, width: number, height: number): number => {
  const distance = Math.min(Math.abs(hour - centre), 24 - Math.abs(hour - centre))
  return height * Math.exp(-((distance / width) ** 2))
}

/** A workday has a breakfast peak and an evening peak; at weekends the morning starts later and the day stays busy. */
const occupancy = (hour: number, isWeekend: boolean): number =>
  isWeekend
    ? bump(hour, 9.5, 2.2, 420) + bump(hour, 14, 3.5, 260) + bump(hour, 19, 2.6, 850)
    : bump(hour, 7, 1.3, 470) + bump(hour, 13, 3.5, 120) + bump(hour, 19, 2.4, 900)

/** Now and then an oven, a dryer or a dishwasher runs within an hour, W. */
const appliancePower = (seed: number, { day, weekday, minute }: LocalTime): number => {
  const hour = Math.floor(minute / 60)
  const index = day * 24 + hour
  const isDay = hour >= 8 && hour < 22
  if (!happens(isDay ? (weekday === 0 || weekday === 6 ? 0.16 : 0.09) : 0.006, seed, streams.appliance, index)) return 0
  const start = Math.floor(uniform(seed, streams.applianceStart, index) * 30)
  const length = 12 + Math.floor(uniform(seed, streams.applianceLength, index) * 18)
  const since = (minute % 60) - start
  return since < 0 || since >= length ? 0 : 1200 + 2400 * uniform(seed, streams.appliancePower, index)
}

/** Whole W in a minute. Noise grows with what is switched on. */
export const householdPower = (household: Household, seed: number, local: LocalTime): number => {
  const isWeekend = local.weekday === 0 || local.weekday === 6
  const steady = household.basePower + household.activity * occupancy(local.minute / 60, isWeekend)
  const minutes = local.day * 1440 + local.minute
  const noise =
    1 + 0.14 * smoothNoise(seed, streams.steady, minutes / 20) + 0.04 * normal(seed, streams.steady, -minutes)
  return Math.round(Math.max(40, steady * noise + appliancePower(seed, local)))
}

/** Voltage between the two legs of a North American service, V, with one decimal. */
export const mainsVoltage = (seed: number, { day, minute }: LocalTime): number =>
  Math.round(10 * (240 + 1.2 * smoothNoise(seed, streams.voltage, (day * 1440 + minute) / 15))) / 10
