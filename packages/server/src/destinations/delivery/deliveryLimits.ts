/** The limits of the work on deliveries. docs/operations.md lists them for operators. */
export const deliveryLimits = {
  /** The pause between two searches for work that nothing announces. */
  pauseMs: 200,
  /** Ordering keys that one process works on at once, and those of slow destinations beside them. */
  keys: 512,
  slowKeys: 256,
  /** Ordering keys of one destination: more where it has responded quickly than where nothing is known of it. */
  keysPerDestination: 8,
  keysPerFastDestination: 256,
  /** Deliveries to one destination at a time. */
  deliveriesPerDestination: 32,
  /** A delivery that takes this long makes its destination a slow one, until one is quicker. */
  slowAfterMs: 1000,
  /** A slow destination that gets no delivery for this time is forgotten. */
  slowSeconds: 600,
  /** After this many failures in a row, deliveries no longer queue for a destination. */
  toleratedFailures: 3,
  /** Deliveries of one ordering key that are read at once, and about how many are read for all keys of a claim. */
  deliveriesPerKey: 10,
  deliveriesPerClaim: 512,
  /** Ordering keys whose outcomes one transaction stores. */
  recordedTogether: 500,
  /** Leases end by themselves after this, by the database's clock: the work of a process that died is claimed again. */
  leaseSeconds: 10,
  /** How long a stop waits for the attempts that are running. */
  patienceSeconds: 11,
  /** After this many failures later deliveries of the subject overtake the failing one. */
  overtakenAfterFailures: 4,
  /** A destination is deactivated when every attempt has failed for this long. */
  failingSeconds: 432_000,
  /** Workspaces whose events one transaction fans out, and deliveries for each. */
  fanOutWorkspaces: 5,
  fanOutDeliveries: 1000,
  /** The pause after each fan-out. */
  fanOutPauseMs: 200
} as const
