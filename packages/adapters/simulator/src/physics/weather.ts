import { DAY_MINUTES, STEP_MS } from "./clock.ts"
import { smoothNoise } from "./random.ts"

const RADIANS = Math.PI / 180
const YEAR_DAYS = 365.2425
const SOLAR_CONSTANT = 1367
const GROUND_ALBEDO = 0.2
const HOUR_MS = 3_600_000

const streams = { front: 11, cloud: 12, warmth: 13 }

/** The weather of an area: sites with equal climates have the same weather. */
export interface Climate {
  readonly seed: number
  /** Mean of the year, degrees Fahrenheit. */
  readonly meanTemperature: number
  /** Half of the difference between the warmest and the coldest day, and between afternoon and dawn, degrees Fahrenheit. */
  readonly seasonalSwing: number
  readonly dailySwing: number
  /** Mean share of the sky that is covered, above 0 and below 1. */
  readonly cloudiness: number
}

export interface Location {
  /** Degrees north and degrees east. */
  readonly latitude: number
  readonly longitude: number
}

export interface Sky {
  /** Degrees Fahrenheit. */
  readonly temperature: number
  /** Share of the sky that is covered, 0 to 1. */
  readonly cloudCover: number
  /** Irradiance on level ground and its diffuse part, W/m². */
  readonly global: number
  readonly diffuse: number
  readonly sun: Sun
}

/** Direction of the sun: the cosine of its zenith angle, and its components to the south and to the west. */
export interface Sun {
  readonly up: number
  readonly south: number
  readonly west: number
  /** Squared ratio of the mean to the present distance. */
  readonly distanceFactor: number
}

/** Spencer 1971 for declination and equation of time; Duffie and Beckman 1.6 for the angles. */
export const sunAt = ({ latitude, longitude }: Location, time: number): Sun => {
  const days = time / (DAY_MINUTES * STEP_MS)
  const angle = (2 * Math.PI * (days % YEAR_DAYS)) / YEAR_DAYS
  const sin = Math.sin(angle)
  const cos = Math.cos(angle)
  const sin2 = 2 * sin * cos
  const cos2 = 2 * cos * cos - 1
  const declination =
    0.006918 - 0.399912 * cos + 0.070257 * sin - 0.006758 * cos2 + 0.000907 * sin2 - 0.002697 * Math.cos(3 * angle)
  const equationOfTime = 229.18 * (0.000075 + 0.001868 * cos - 0.032077 * sin - 0.014615 * cos2 - 0.040849 * sin2)
  const solarHour = (days - Math.floor(days)) * 24 + longitude / 15 + equationOfTime / 60
  const hourAngle = (solarHour - 12) * 15 * RADIANS
  const sinLatitude = Math.sin(latitude * RADIANS)
  const cosLatitude = Math.cos(latitude * RADIANS)
  const sinDeclination = Math.sin(declination)
  const cosDeclination = Math.cos(declination)
  const cosHour = Math.cos(hourAngle)
  return {
    up: sinLatitude * sinDeclination + cosLatitude * cosDeclination * cosHour,
    south: cosDeclination * cosHour * sinLatitude - sinDeclination * cosLatitude,
    west: cosDeclination * Math.sin(hourAngle),
    distanceFactor: 1.00011 + 0.034221 * cos + 0.00128 * sin + 0.000719 * cos2 + 0.000077 * sin2
  }
}

/** Erbs, Klein and Duffie 1982: the diffuse share of the global irradiance, by the clearness index. */
const diffuseShare = (clearness: number): number => {
  if (clearness <= 0.22) return 1 - 0.09 * clearness
  if (clearness > 0.8) return 0.165
  return 0.9511 + clearness * (-0.1604 + clearness * (4.388 + clearness * (-16.638 + clearness * 12.336)))
}

/** Fronts pass in about a day and a half; single clouds in a quarter of an hour, most on half-covered days. */
const cloudCoverAt = ({ seed, cloudiness }: Climate, time: number): number => {
  const front = smoothNoise(seed, streams.front, time / (18 * HOUR_MS))
  const cover = 1 / (1 + ((1 - cloudiness) / cloudiness) * Math.exp(-1.7 * front))
  const passing = 0.9 * cover * (1 - cover) * smoothNoise(seed, streams.cloud, time / (7.5 * STEP_MS))
  return Math.min(1, Math.max(0, cover + passing))
}

/** Coldest in the middle of January, in the south in the middle of July; coolest before dawn, warmest about 16:00. */
const temperatureAt = (climate: Climate, location: Location, time: number, cloudCover: number): number => {
  const days = time / (DAY_MINUTES * STEP_MS)
  const season = -Math.cos((2 * Math.PI * (days - 15)) / YEAR_DAYS) * (location.latitude < 0 ? -1 : 1)
  const solarDay = days + location.longitude / 360
  const ofDay = -Math.cos(2 * Math.PI * (solarDay - 4 / 24)) * (1.15 - 0.6 * cloudCover)
  const warmth = 5 * smoothNoise(climate.seed, streams.warmth, time / (30 * HOUR_MS))
  return climate.meanTemperature + climate.seasonalSwing * season + climate.dailySwing * ofDay + warmth
}

/** The weather at a time. Irradiance: Haurwitz 1945 under a clear sky, Kasten and Czeplak 1980 for cloud. */
export const skyAt = (climate: Climate, location: Location, time: number): Sky => {
  const cloudCover = cloudCoverAt(climate, time)
  const temperature = temperatureAt(climate, location, time, cloudCover)
  const sun = sunAt(location, time)
  // Below one degree of elevation the ratio of tilted to level beam has no meaning and the energy is nothing.
  if (sun.up < 0.0175) return { temperature, cloudCover, global: 0, diffuse: 0, sun }
  const global = 1098 * sun.up * Math.exp(-0.057 / sun.up) * (1 - 0.75 * cloudCover ** 3.4)
  const diffuse = global * diffuseShare(global / (SOLAR_CONSTANT * sun.distanceFactor * sun.up))
  return { temperature, cloudCover, global, diffuse, sun }
}

export interface Plane {
  /** Degrees from level, and degrees from south, west positive. */
  readonly tilt: number
  readonly azimuth: number
}

/** W/m² on a tilted plane (Liu and Jordan 1963). */
export const irradianceOn = (plane: Plane, { global, diffuse, sun }: Sky): number => {
  if (global === 0) return 0
  const tilt = plane.tilt * RADIANS
  const azimuth = plane.azimuth * RADIANS
  const cosTilt = Math.cos(tilt)
  const facing = sun.up * cosTilt + (sun.south * Math.cos(azimuth) + sun.west * Math.sin(azimuth)) * Math.sin(tilt)
  const beam = ((global - diffuse) / sun.up) * Math.max(0, facing)
  return beam + (diffuse * (1 + cosTilt)) / 2 + (global * GROUND_ALBEDO * (1 - cosTilt)) / 2
}

export const toCelsius = (fahrenheit: number): number => (fahrenheit - 32) / 1.8
