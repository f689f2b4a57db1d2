/** The limits of the work on dispatches. docs/operations.md lists them for operators. */
export const dispatchLimits = {
  /** The pause after each run, and after each look for results of commands. */
  pauseMs: 1000,
  resultPauseMs: 2000,
  /** Dispatches that are begun or ended in a run. */
  dispatches: 100,
  /** Devices whose commands one transaction issues, or whose results it records. */
  devicesPerTransaction: 1000,
  /** Opt-outs of one transaction: those that arrive while one runs are in the next. */
  optOutsPerTransaction: 200,
  /** The pause before a dispatch that has ended is checked again for devices that have not got their settings back. */
  settlingPauseSeconds: 2,
  /** The longest pause before such a device is checked again. */
  longestDevicePauseSeconds: 30,
  /** How often a thermostat's settings are restored by a command, and the time for each. */
  restoreAttempts: 20,
  restoreSeconds: 86_400,
  /** A mode lasts this much longer if the next interval replaces it: otherwise the device would change twice. */
  overlapSeconds: 60
} as const

/** The work on dispatches, as its failing items are stored under: dispatches, devices that are due, devices with new results. */
export const DISPATCHES = "dispatches"
export const DISPATCHED_DEVICES = "devices of dispatches"
export const DISPATCH_RESULTS = "results of dispatched commands"
