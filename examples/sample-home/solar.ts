const RADIANS = Math.PI / 180

/** The home's location: Sacramento, California. */
const LATITUDE = 38.58 * RADIANS
const LONGITUDE = -121.49
/** The meridian of Pacific Standard Time. */
const STANDARD_MERIDIAN = -120

/** A 5 kW array on a south-south-west roof of 5:12 pitch, behind a 5 kW inverter. Azimuth counts from south, west positive. */
const RATED_W = 5000
const INVERTER_W = 5000
const TILT = 22.6 * RADIANS
const AZIMUTH = 20 * RADIANS
/** Soiling, mismatch, wiring, age (14 % together) and the inverter's own 96 %. */
const SYSTEM_EFFICIENCY = 0.86 * 0.96
const GROUND_ALBEDO = 0.2
/** Cells are rated at 25 °C and lose 0.4 % per degree above it; 47 °C is the nominal operating cell temperature. */
const POWER_PER_DEGREE = -0.004
const NOMINAL_CELL_TEMPERATURE = 47
const SOLAR_CONSTANT = 1367

/** Spencer 1971: declination (radians), equation of time (minutes) and the squared ratio of mean to actual distance. */
const sunOfDay = (day: number) => {
  const angle = (2 * Math.PI * day) / 365
  const [sin1, cos1, sin2, cos2] = [Math.sin(angle), Math.cos(angle), Math.sin(2 * angle), Math.cos(2 * angle)]
  return {
    declination:
      0.006918 -
      0.399912 * cos1 +
      0.070257 * sin1 -
      0.006758 * cos2 +
      0.000907 * sin2 -
      0.002697 * Math.cos(3 * angle) +
      0.00148 * Math.sin(3 * angle),
    equationOfTime: 229.18 * (0.000075 + 0.001868 * cos1 - 0.032077 * sin1 - 0.014615 * cos2 - 0.040849 * sin2),
    distanceFactor: 1.00011 + 0.034221 * cos1 + 0.00128 * sin1 + 0.000719 * cos2 + 0.000077 * sin2
  }
}

/** Cosines of the sun's zenith angle and of its angle to the array's normal (Duffie and Beckman, 1.6). */
const sunAngles = (declination: number, hourAngle: number) => {
  const zenith =
    Math.sin(LATITUDE) * Math.sin(declination) + Math.cos(LATITUDE) * Math.cos(declination) * Math.cos(hourAngle)
  const south =
    Math.cos(declination) * Math.cos(hourAngle) * Math.sin(LATITUDE) - Math.sin(declination) * Math.cos(LATITUDE)
  const west = Math.cos(declination) * Math.sin(hourAngle)
  const array = zenith * Math.cos(TILT) + (south * Math.cos(AZIMUTH) + west * Math.sin(AZIMUTH)) * Math.sin(TILT)
  return { zenith, array }
}

/** Erbs, Klein and Duffie 1982: the diffuse share of the global irradiance, by the clearness index. */
const diffuseShare = (clearness: number): number => {
  if (clearness <= 0.22) return 1 - 0.09 * clearness
  if (clearness > 0.8) return 0.165
  return 0.9511 - 0.1604 * clearness + 4.388 * clearness ** 2 - 16.638 * clearness ** 3 + 12.336 * clearness ** 4
}

/** W/m² on the array: Haurwitz 1945 under a clear sky, Kasten and Czeplak 1980 for cloud, Liu and Jordan 1963 on the tilt. */
const irradianceOnArray = (day: number, standardHour: number, cloudCover: number): number => {
  const sun = sunOfDay(day)
  const solarHour = standardHour + (4 * (LONGITUDE - STANDARD_MERIDIAN) + sun.equationOfTime) / 60
  const { zenith, array } = sunAngles(sun.declination, (solarHour - 12) * 15 * RADIANS)
  // Below one degree of elevation the ratio of tilted to level beam has no meaning and the energy is nothing.
  if (zenith < 0.0175) return 0
  const global = 1098 * zenith * Math.exp(-0.057 / zenith) * (1 - 0.75 * cloudCover ** 3.4)
  const diffuse = global * diffuseShare(global / (SOLAR_CONSTANT * sun.distanceFactor * zenith))
  const beam = ((global - diffuse) / zenith) * Math.max(0, array)
  return beam + (diffuse * (1 + Math.cos(TILT))) / 2 + (global * GROUND_ALBEDO * (1 - Math.cos(TILT))) / 2
}

/** AC power in W (Ross 1976 for the cells' temperature), clipped by the inverter. */
const acPower = (irradiance: number, temperature: number): number => {
  const cell = temperature + ((NOMINAL_CELL_TEMPERATURE - 20) / 800) * irradiance
  const derate = 1 + POWER_PER_DEGREE * (cell - 25)
  return Math.min(INVERTER_W, RATED_W * (irradiance / 1000) * derate * SYSTEM_EFFICIENCY)
}

/** Wh in the hour that begins at `hour` standard time: twelve five-minute samples taken at their middles. */
export const solarEnergy = (day: number, hour: number, cloudCover: number, temperature: number): number => {
  let energy = 0
  for (let sample = 0; sample < 12; sample++) {
    energy += acPower(irradianceOnArray(day, hour + (sample + 0.5) / 12, cloudCover), temperature) / 12
  }
  return energy
}
