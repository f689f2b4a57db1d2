/** The limits of the work on accounts. docs/operations.md lists them for operators. */
export const accountLimits = {
  /** The pause between two searches for work that nothing announces. */
  pauseMs: 500,
  /** Accounts that one process reads at once, in all and of one manufacturer. */
  accounts: 256,
  accountsPerManufacturer: 64,
  /** Accounts of one manufacturer with a lasting connection. */
  connectionsPerManufacturer: 5000,
  /** Accounts of one claim. */
  claimedTogether: 64,
  /** Leases end by themselves after this: a frozen or dead process's accounts are taken over. */
  leaseSeconds: 120,
  /** How long a stop waits for the readings that are running. */
  patienceSeconds: 11,
  /** How often running work checks that it still holds its lease. */
  leaseCheckSeconds: 5,
  /** The pause before a connection on which devices report is made again, after the first failure. */
  reconnectSeconds: 5,
  /** A connection that has lasted this long was no failed attempt. */
  lastingSeconds: 60,
  /** The longest pause after failures. */
  longestPauseSeconds: 3600,
  /** A call of a manufacturer's API that takes longer has failed. */
  callSeconds: 30,
  /** Credentials that end within this time are renewed before a command. */
  renewalAheadSeconds: 30,
  /** How long a command waits for another worker's refresh. */
  refreshPatienceSeconds: 30,
  /** Accounts that are made due together are read over this time. */
  spreadSeconds: 300
} as const
