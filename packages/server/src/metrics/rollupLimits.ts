/** The limits of rollups and sums of fleets. docs/operations.md lists them for operators. */
export const rollupLimits = {
  /** The pause after each run that leaves nothing to do, and after each run over the fleets. */
  pauseMs: 10_000,
  fleetPauseMs: 300_000,
  /** Devices that are computed at once, and readings of each that one statement reads. */
  devices: 50,
  readingsPerDevice: 2000,
  /** Leases end by themselves after this. A pass that finishes later finds its lease lost and stores nothing. */
  leaseSeconds: 60,
  /** A stop waits this long for the pass under way. */
  patienceSeconds: 10,
  /** While requests wait, rollups pause for this many times the duration of the last pass. */
  restFactor: 3,
  /** The same for the sums of a fleet. */
  fleetLeaseSeconds: 600,
  /** Devices of a fleet that are held in memory at once, about. */
  fleetDevices: 5000,
  /** Workspaces whose devices are counted by one statement. */
  fleetWorkspaces: 1000,
  /** Days that are summed together. The latest are summed first. */
  fleetDays: 31,
  /** From the start of one summation of the recent energy of the fleets to that of the next one. */
  recentPauseMs: 120_000,
  /** The age from which sums of recent energy are not used: energies are computed from the devices then. */
  recentAgeMs: 300_000,
  /** UTC days of recent energy, before the present one. */
  recentDays: 8,
  /** How long a device's state says which quarters its rollups changed. Blocks that were summed earlier are summed anew. */
  alteredSeconds: 1200
} as const
