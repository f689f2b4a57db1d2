import type { BatteryState } from "./battery.ts"
import { accept, alreadySo, type Applied, type Issued, refuse } from "./commandResult.ts"

export interface SetReserve {
  /** Percent, 0 to 100. */
  readonly chargePercentage: number
}

export interface SetBatteryMode {
  readonly operatingMode: "charge" | "discharge" | "idle" | "reset"
  /** Percent, 0 to 100: where discharging and charging stop. */
  readonly minimumBatteryReserve?: number
  readonly maximumBatteryReserve?: number
  /** Whether charging may import and discharging may export; false by default. */
  readonly enableGridInteraction?: boolean
  /** Which of its owners' wishes the device follows first; it has no effect on the physics. */
  readonly executionPriority?: "baseline" | "grid_services"
  /** W, only with charge and discharge. */
  readonly targetPowerW?: number
}

/** A reset finds the settings from before a forced mode for this long. */
const SAVED_FOR = 86_400_000

const isPercentage = (value: number) => value >= 0 && value <= 100

/**
 * Sets the reserve. Under a forced mode it becomes the reserve that the end of that mode restores, too: it is the newest
 * setting of the owner.
 */
export const setReserve = (state: BatteryState, { chargePercentage }: SetReserve): Applied<BatteryState> => {
  if (!isPercentage(chargePercentage)) return refuse("unsupported_value")
  const own = state.saved?.settings ?? state.settings
  if (own.backupReserve === chargePercentage && state.settings.backupReserve === chargePercentage)
    return alreadySo(state)
  const backupReserve = chargePercentage
  const saved = state.saved && { ...state.saved, settings: { ...state.saved.settings, backupReserve } }
  return accept({ ...state, settings: { ...state.settings, backupReserve }, saved })
}

/**
 * Forces a mode or resets. A forced mode over another one keeps the settings from before the first one. A reset needs a
 * forced mode that holds or whose saved settings are at most 24 hours old.
 */
export const setBatteryMode = (state: BatteryState, input: SetBatteryMode, issued: Issued): Applied<BatteryState> => {
  if (input.operatingMode === "reset") {
    if (state.forced !== null) return accept(endForcedMode(state))
    if (state.saved === null || issued.at - state.saved.at > SAVED_FOR) return refuse("precondition_unmet")
    return alreadySo(state)
  }
  const settings = state.forced === null ? state.settings : (state.saved?.settings ?? state.settings)
  const minimum = input.minimumBatteryReserve ?? settings.backupReserve
  const maximum = input.maximumBatteryReserve ?? 100
  if (!isPercentage(minimum) || !isPercentage(maximum)) return refuse("unsupported_value")
  const isRange = input.minimumBatteryReserve !== undefined && input.maximumBatteryReserve !== undefined
  if (isRange && minimum >= maximum) return refuse("unsupported_value")
  const forced = {
    mode: input.operatingMode,
    until: issued.until,
    maximum,
    withGrid: input.enableGridInteraction === true,
    ...(input.targetPowerW !== undefined && { power: input.targetPowerW })
  }
  const saved = state.forced !== null && state.saved !== null ? state.saved : { settings, at: issued.at }
  return accept({ ...state, settings: { ...settings, backupReserve: minimum }, forced, saved })
}

/** Restores the settings from before the first forced mode. They stay known, so that a repeated reset is no mistake. */
const endForcedMode = (state: BatteryState): BatteryState => ({
  ...state,
  settings: state.saved?.settings ?? state.settings,
  forced: null
})

/** Ends a forced mode whose time is over at this step. */
export const expireBattery = (state: BatteryState, time: number): BatteryState =>
  state.forced !== null && state.forced.until !== null && state.forced.until <= time ? endForcedMode(state) : state
