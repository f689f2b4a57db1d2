/** The limits of the work on schedules. docs/operations.md lists them for operators. */
export const scheduleLimits = {
  /** The pause after each run. */
  pauseMs: 1000,
  /** Schedules that are looked up at a time. */
  schedules: 2000,
  /** Schedules of single devices whose commands one transaction issues. A schedule of several devices has one of its own. */
  schedulesPerTransaction: 500,
  /** Devices of a schedule whose commands are checked and stored at a time. */
  devicesTogether: 250
} as const
