import { irradianceOn, type Plane, type Sky, toCelsius } from "./weather.ts"

export interface InverterProfile extends Plane {
  /** Continuous AC output, W; the output is clipped at it. */
  readonly power: number
  /** Power of the panels under standard test conditions, W. */
  readonly panelPower: number
  /** Whether the inverter has a meter at the grid connection and reports grid and load power. */
  readonly metersGrid: boolean
}

/** Soiling, mismatch, wiring and age (14 % together) and the conversion's 96 %. */
const SYSTEM_EFFICIENCY = 0.86 * 0.96
/** Cells are rated at 25 °C and lose 0.4 % per degree above it; 47 °C is the nominal operating cell temperature. */
const POWER_PER_DEGREE = -0.004
const NOMINAL_CELL_TEMPERATURE = 47
/** An inverter starts at half a per cent of its rating. */
const START_SHARE = 0.005

/** AC power in whole W, 0 at night (Ross 1976 for the temperature of the cells). */
export const solarPower = (profile: InverterProfile, sky: Sky): number => {
  const irradiance = irradianceOn(profile, sky)
  if (irradiance === 0) return 0
  const cell = toCelsius(sky.temperature) + ((NOMINAL_CELL_TEMPERATURE - 20) / 800) * irradiance
  const power = profile.panelPower * (irradiance / 1000) * (1 + POWER_PER_DEGREE * (cell - 25)) * SYSTEM_EFFICIENCY
  return power < START_SHARE * profile.power ? 0 : Math.round(Math.min(profile.power, power))
}
