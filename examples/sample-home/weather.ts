import { normal, uniform } from "./random.ts"

export interface Weather {
  /** Share of the sky that is covered, 0 to 1, one value a day. */
  readonly cloudCover: ReadonlyArray<number>
  /** Degrees Celsius at the middle of each hour, standard time. */
  readonly temperature: ReadonlyArray<number>
}

const DAYS = 365
const SEEDS = { cloud: 1, temperature: 2 }
/** How much of one day's deviation the next day keeps: fronts and heat waves last two to four days. */
const CLOUD_PERSISTENCE = 0.6
const HEAT_PERSISTENCE = 0.75

/** 1 in the middle of July, -1 in the middle of January. */
const season = (day: number): number => -Math.cos((2 * Math.PI * (day - 14)) / DAYS)

const autoregressive = (seed: number, persistence: number): ReadonlyArray<number> => {
  const draw = uniform(seed)
  const innovation = Math.sqrt(1 - persistence * persistence)
  let value = 0
  return Array.from({ length: DAYS }, () => (value = persistence * value + innovation * normal(draw)))
}

/**
 * Daily cloud cover follows the Central Valley's year (a nearly cloudless summer, half the winter grey) with
 * persistence; the temperature swings between the month's usual low and high, less under cloud.
 */
export const makeWeather = (): Weather => {
  const cloudiness = autoregressive(SEEDS.cloud, CLOUD_PERSISTENCE)
  const warmth = autoregressive(SEEDS.temperature, HEAT_PERSISTENCE)
  const cloudCover = cloudiness.map((deviation, day) => 1 / (1 + Math.exp(1.35 + 1.6 * season(day) - 1.7 * deviation)))
  const temperature = cloudCover.flatMap((cover, day) => {
    const mean = 16.6 + 7.9 * season(day) + 2.6 * warmth[day]!
    const swing = (6.8 + 2.8 * season(day)) * (1.15 - 0.6 * cover)
    // Coolest just before dawn, warmest about 16:00.
    return Array.from({ length: 24 }, (_, hour) => mean - swing * Math.cos((2 * Math.PI * (hour + 0.5 - 4.5)) / 24))
  })
  return { cloudCover, temperature }
}
