import { normal } from "./random.ts"

export interface Hour {
  /** Hour of the day on the wall clock. */
  readonly hour: number
  readonly weekend: boolean
  /** °C outdoors now, and over the last day: a house is slow to warm and to cool. */
  readonly temperature: number
  readonly dayMean: number
}

/** Refrigerator, network, stand-by: W. */
const BASE = 420

/** A bump in W around an hour of the day, `width` hours wide, across midnight too. */
const bump = (hour: number, centre: number, width: number, height: number): number => {
  const distance = Math.min(Math.abs(hour - centre), 24 - Math.abs(hour - centre))
  return height * Math.exp(-((distance / width) ** 2))
}

/** A workday has a breakfast peak and an evening peak; at weekends the morning starts later and the day stays busy. */
const occupancy = ({ hour, weekend }: Hour): number =>
  weekend
    ? bump(hour, 9.5, 2.2, 420) + bump(hour, 14, 3.5, 260) + bump(hour, 19, 2.6, 850)
    : bump(hour, 7, 1.3, 470) + bump(hour, 13, 3.5, 120) + bump(hour, 19, 2.4, 900)

/** Cooling from 23 °C, counted half by the hour's and half by the day's temperature; the unit draws 3.2 kW at most. */
const airConditioning = ({ hour, temperature, dayMean }: Hour): number => {
  const degrees = Math.max(0, 0.65 * temperature + 0.35 * dayMean - 23)
  const atHome = hour >= 16 || hour < 1 ? 1.25 : 0.8
  return Math.min(3200, 270 * degrees * atHome)
}

/** The gas furnace's blower, below 14 °C and while people are up. */
const furnaceBlower = ({ hour, temperature }: Hour): number =>
  hour >= 6 && hour < 23 ? Math.min(350, 28 * Math.max(0, 14 - temperature)) : 0

/** Wh in one hour. Noise grows with what is switched on; now and then a dryer or an oven runs. */
export const loadEnergy = (hour: Hour, draw: () => number): number => {
  const steady = BASE + occupancy(hour)
  const noise = 1 + 0.16 * normal(draw)
  const appliance = draw() < (hour.hour >= 8 && hour.hour < 22 ? (hour.weekend ? 0.09 : 0.05) : 0.004)
  const applianceEnergy = 600 + 1400 * draw()
  const climate = (airConditioning(hour) + furnaceBlower(hour)) * (1 + 0.1 * normal(draw))
  return Math.max(120, steady * noise + Math.max(0, climate) + (appliance ? applianceEnergy : 0))
}
