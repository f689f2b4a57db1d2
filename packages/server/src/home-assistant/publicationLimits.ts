/** The limits of publications to Home Assistant; docs/operations.md lists them. */
export const publicationLimits = {
  /** Publications of a workspace, and devices of a publication. */
  perWorkspace: 20,
  devices: 5000,
  /** Connections of one process, and those that it takes at once, so that several processes share them. */
  connections: 200,
  claimedTogether: 10,
  /** The shortest pause between two polls for publications without a connection. */
  pauseMs: 1000,
  /** Leases end by themselves after this: a frozen or dead process's publications are taken over. */
  leaseSeconds: 60,
  /** How long a stop waits for connections to end. */
  patienceSeconds: 5,
  /** The pause between two looks for changed devices. */
  lookMs: 1000,
  /** Messages for one device that arrive within this time become one command. */
  gatherMs: 500,
  /** Devices with messages that wait for that; the messages for others are dropped. */
  waitingDevices: 1000,
  /** Characters of a message for a device. */
  messageLength: 100,
  /** How often all devices are compared with what is published, which finds what no event tells. */
  compareSeconds: 300,
  /** Devices that are read, and messages that are under way, at once. */
  devicesTogether: 200,
  messagesTogether: 20,
  /** Events of one statement. */
  eventsTogether: 500,
  /** Milliseconds without another message after which the retained configurations are there, and the longest wait. */
  quietMs: 700,
  retainedMs: 10_000,
  /** The pauses after failed attempts double from the first to the longest, in milliseconds. */
  firstPauseMs: 5000,
  longestPauseMs: 60_000
} as const
