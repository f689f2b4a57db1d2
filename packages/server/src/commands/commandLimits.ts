/** The limits of the work on commands. docs/operations.md lists them for operators. */
export const commandLimits = {
  /** The pause between two searches for work that nothing announces. */
  pauseMs: 250,
  /** Devices that one process works on at once, in all and of one manufacturer: those that wait for a call are prepared together. */
  devices: 1024,
  devicesPerManufacturer: 256,
  /** Calls that one process makes at once, in all and of one manufacturer. */
  calls: 256,
  callsPerManufacturer: 64,
  /** Changes of devices that one transaction records. */
  recordedTogether: 500,
  /** Leases end by themselves after this: a frozen or dead process's devices are taken over. */
  leaseSeconds: 120,
  /** How long a stop waits for the calls that are running. */
  patienceSeconds: 10,
  /** A call of an adapter that takes longer has failed; its effect may still show in the device's state. */
  callSeconds: 120,
  /** The pause of a manufacturer whose quota is used up: then a few commands find out whether it still is. */
  quotaPauseMs: 1000,
  /** The shortest pause of a command for which there was no call left. */
  noCallPauseMs: 250,
  /** How often a direct device's command is tried while its manufacturer has no destination. */
  noDestinationPauseSeconds: 30,
  /** How long an instance leaves a device to others that it could not reach itself, and all leave it to the one that can. */
  avoidedSeconds: 1,
  leftSeconds: 5,
  /** The first reading after a command that was accepted. */
  firstReadingSeconds: 2,
  /** A device's newest state counts as its present one for this time. */
  presentStateSeconds: 300,
  /** Commands that one statement stores: preparing more at once would stop all other work for long. */
  storedTogether: 250,
  /** Commands that one transaction compares with states, fails because of their time-out, or cancels with their batch. */
  comparedTogether: 500,
  timedOutTogether: 500,
  cancelledTogether: 2000,
  /** The pause after each of these, and between two searches for late results. */
  comparisonPauseMs: 500,
  timeOutPauseMs: 1000,
  batchPauseMs: 1000,
  lateResultPauseMs: 10_000,
  /** A completed command gets a note by the readings of this time. */
  effectSeconds: 1800,
  /** An idle device without a reason in its state may still begin in this time after the completion. */
  beginsWithinSeconds: 60,
  /** A state gives a late result for this time after the time-out. */
  lateResultSeconds: 3600,
  /** Failed attempts to restore settings after which an alert is raised. */
  restoreAlertAttempts: 3,
  /** A forced mode without a time of its own ends after this. */
  longestModeSeconds: 86_400
} as const
