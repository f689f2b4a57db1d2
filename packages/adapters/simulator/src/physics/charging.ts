import { type DailyWindow, isWithin } from "./clock.ts"
import { accept, alreadySo, type Applied, type Issued, refuse } from "./commandResult.ts"

export interface ChargerProfile {
  /** Greatest current of the station, A: 6 to 48. */
  readonly maxCurrent: number
  /** Hours in which a session that nobody started or stopped may charge, in local time; null is always. */
  readonly window: DailyWindow | null
}

/** `auto` follows the window; the others are the owner's choice until the cable is unplugged. */
export type SessionChoice = "auto" | "started" | "stopped"

/** The charging session at home. The charger and the vehicle both start and stop this one session. */
export interface ChargingSession {
  readonly choice: SessionChoice
  /** W that it draws at most; the greatest power without it. */
  readonly power?: number
  /** A choice with an end: the choice to restore, and the step at which it returns, milliseconds since 1970. */
  readonly revert: { readonly to: SessionChoice; readonly power?: number; readonly until: number } | null
}

/** The choice to which a session goes back, with its power. */
export const choiceBefore = ({ choice, power, revert }: ChargingSession): Omit<ChargingSession, "revert"> =>
  revert === null ? withPower(choice, power) : withPower(revert.to, revert.power)

const withPower = (choice: SessionChoice, power: number | undefined) => ({
  choice,
  ...(power !== undefined && { power })
})

export const newSession: ChargingSession = { choice: "auto", revert: null }

export interface SetChargingMode {
  readonly operatingMode: "start-charging" | "stop-charging"
  /** W, only with start-charging. */
  readonly targetPowerW?: number
}

/** SAE J1772 sets the current with a pilot signal; below 6 A there is no charging. */
export const MIN_CURRENT = 6
/** V, of the mains. */
export const NOMINAL_VOLTAGE = 240
/** A wall outlet: 120 V, that is half of the mains voltage, and 12 A. */
export const OUTLET = { voltageShare: 0.5, maxCurrent: 12 }

export interface Plugged {
  readonly isPluggedIn: boolean
  /** Whether the battery of the vehicle has reached its limit. */
  readonly isFull: boolean
}

/** Starts or stops charging, with an end if the command has one. */
export const setChargingMode = (
  session: ChargingSession,
  { operatingMode, targetPowerW: power }: SetChargingMode,
  { until }: Issued,
  plugged: Plugged
): Applied<ChargingSession> => {
  if (operatingMode !== "start-charging" && operatingMode !== "stop-charging") return refuse("unsupported_value")
  // A vehicle that is not there does not charge.
  if (!plugged.isPluggedIn) {
    return operatingMode === "stop-charging" ? alreadySo(session) : refuse("precondition_not_plugged_in")
  }
  if (operatingMode === "start-charging" && plugged.isFull) return refuse("precondition_unmet")
  const choice = operatingMode === "start-charging" ? "started" : "stopped"
  const isSo = session.choice === choice && session.power === power
  if (isSo && session.revert === null && until === null) return alreadySo(session)
  const { choice: to, ...before } = choiceBefore(session)
  return accept({ ...withPower(choice, power), revert: until === null ? null : { to, ...before, until } })
}

/** Restores the earlier choice at the end of a forced one. */
export const expireSession = (session: ChargingSession, time: number): ChargingSession =>
  session.revert !== null && session.revert.until <= time ? { ...choiceBefore(session), revert: null } : session

export const mayCharge = (session: ChargingSession, window: DailyWindow | null, minute: number): boolean =>
  session.choice === "started" || (session.choice === "auto" && (window === null || isWithin(window, minute)))
