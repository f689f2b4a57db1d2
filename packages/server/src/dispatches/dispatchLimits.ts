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
  overlapSeconds: 60,
  /** The pause between two looks for dispatches whose results are to be kept. */
  resultsPauseMs: 30_000,
  /** Sites of a report that one statement looks up, and the intervals of all of them. */
  reportedSites: 5000,
  reportedIntervals: 500_000,
  /** Sites that are computed together: with their like days, and with a baseline that is kept. */
  computedSites: 100,
  usedSites: 500,
  /** Figures of a dispatch that runs are used again for so long if they took so many milliseconds; and the sites of all that are held in memory. */
  recentFiguresSeconds: 30,
  recentFiguresTookMs: 1000,
  recentSites: 20_000,
  /** Results of sites are brought up to date again after this, and later after a quarter of the time since the end of the dispatch, … */
  resultsLeastPauseSeconds: 300,
  /** … until so many days after it. Afterwards a report computes and keeps what has changed. */
  resultsDays: 30,
  /** Another process takes the results of a dispatch over from one that has not finished after this. */
  resultsLeaseSeconds: 1800,
  /** The pause between two searches for program instances whose days are to be kept, and of an instance. */
  daysPauseMs: 60_000,
  daysDuePauseSeconds: 3600,
  /** Another process takes the days of an instance over from one that has not finished after this. */
  daysLeaseSeconds: 3600,
  /** Days until today that are kept ahead of reports; those that a report has computed are kept for this long. */
  daysReported: 31,
  daysKept: 400,
  /** Batteries and days of batteries that one statement sums. */
  daysBatteries: 2000,
  daysBatteryDays: 12_000,
  /** Batteries with unsettled readings that are held in memory together. */
  daysOpenBatteries: 400
} as const

/** The work on dispatches, as its failing items are stored under: dispatches, devices that are due or have new results, days of
 * program instances, reported sites. */
export const DISPATCHES = "dispatches"
export const DISPATCHED_DEVICES = "devices of dispatches"
export const DISPATCH_RESULTS = "results of dispatched commands"
export const PROGRAM_DAYS = "days of program reports"
export const RESULTS = "results of dispatched sites"
