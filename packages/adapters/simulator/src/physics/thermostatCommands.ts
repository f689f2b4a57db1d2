import { accept, alreadySo, type Applied, type Issued, refuse } from "./commandResult.ts"
import {
  type FanMode,
  resumed,
  targetsOn,
  type ThermostatMode,
  type ThermostatProfile,
  type ThermostatSettings,
  type ThermostatState
} from "./thermostat.ts"

export interface SetThermostatMode {
  readonly operatingMode: ThermostatMode
  /** Degrees Fahrenheit. heat needs heatTarget, cool needs coolTarget, auto both with heatTarget below coolTarget. */
  readonly heatTarget?: number
  readonly coolTarget?: number
}

export interface SetFanMode {
  readonly fanMode: FanMode
}

const isSupported = (profile: ThermostatProfile, { operatingMode, heatTarget, coolTarget }: SetThermostatMode) => {
  const needsHeat = operatingMode === "heat" || operatingMode === "auto"
  const needsCool = operatingMode === "cool" || operatingMode === "auto"
  const isHeatKnown =
    heatTarget === undefined ? !needsHeat : isBetween(heatTarget, profile.minHeatSetpoint, profile.maxHeatSetpoint)
  const isCoolKnown =
    coolTarget === undefined ? !needsCool : isBetween(coolTarget, profile.minCoolSetpoint, profile.maxCoolSetpoint)
  const isOrdered = operatingMode !== "auto" || Number(heatTarget) < Number(coolTarget)
  return profile.allowedModes.includes(operatingMode) && isHeatKnown && isCoolKnown && isOrdered
}

const isBetween = (value: number, minimum: number, maximum: number) => value >= minimum && value <= maximum

/** Sets the mode and its targets. A schedule that runs is held until its next period, a paused one stays paused. */
export const setThermostatMode = (
  profile: ThermostatProfile,
  state: ThermostatState,
  input: SetThermostatMode,
  issued: Issued
): Applied<ThermostatState> => {
  if (!isSupported(profile, input)) return refuse("unsupported_value")
  const { settings } = state
  const heatTarget = input.heatTarget ?? settings.heatTarget
  const coolTarget = input.coolTarget ?? settings.coolTarget
  const isSame =
    settings.mode === input.operatingMode && settings.heatTarget === heatTarget && settings.coolTarget === coolTarget
  if (isSame && state.revert === null && issued.until === null) return alreadySo(state)
  const isHeld = settings.schedule === "running" && input.operatingMode !== "off"
  const next: ThermostatSettings = {
    mode: input.operatingMode,
    heatTarget,
    coolTarget,
    schedule: isHeld ? "hold" : settings.schedule
  }
  const revert = issued.until === null ? null : { to: state.revert?.to ?? settings, until: issued.until }
  return accept({ ...state, settings: next, revert })
}

export const setFanMode = (
  profile: ThermostatProfile,
  state: ThermostatState,
  { fanMode }: SetFanMode
): Applied<ThermostatState> => {
  if (!profile.allowedFanModes.includes(fanMode)) return refuse("unsupported_value")
  return state.fanMode === fanMode ? alreadySo(state) : accept({ ...state, fanMode })
}

/** The targets of now hold until the schedule is resumed. */
export const pauseSchedule = (state: ThermostatState): Applied<ThermostatState> => {
  if (state.settings.schedule === "none") return refuse("precondition_unmet")
  if (state.settings.schedule === "paused") return alreadySo(state)
  return accept({ ...state, settings: { ...state.settings, schedule: "paused" } })
}

/** Ends a pause or a hold: the targets of the present period return. */
export const resumeSchedule = (profile: ThermostatProfile, state: ThermostatState): Applied<ThermostatState> => {
  if (state.settings.schedule === "none") return refuse("precondition_unmet")
  if (state.settings.schedule === "running") return alreadySo(state)
  return accept({ ...state, settings: resumed(profile, state) })
}

/** Restores the settings from before a mode with an end; a schedule that ran is followed in its present period. */
export const expireThermostat = (profile: ThermostatProfile, state: ThermostatState, time: number): ThermostatState => {
  const { revert } = state
  if (revert === null || revert.until > time) return state
  const restored = { ...state, settings: revert.to, revert: null }
  return revert.to.schedule === "running" ? { ...restored, settings: resumed(profile, restored) } : restored
}

/** The setpoints that the device reports: those that its mode uses. */
export const reportedTargets = (settings: ThermostatSettings) => {
  const { heatTarget, coolTarget } = targetsOn(settings)
  const { mode } = settings
  return {
    ...(mode === "cool" || mode === "auto" || mode === "eco" ? { coolTarget } : {}),
    ...(mode === "heat" || mode === "auto" || mode === "eco" ? { heatTarget } : {})
  }
}
