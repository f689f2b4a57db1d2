/** The sweeps over commands, as their failing items are stored under. */
export const CONFIRMATION = "confirmation of commands"
export const TIME_OUTS = "time-outs of commands"
export const LATE_RESULTS = "late results of commands"
export const BATCHES = "batches of commands"
