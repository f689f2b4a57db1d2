/** The limits of notifications of VTNs; docs/operations.md lists them. Times are in milliseconds unless the name says otherwise. */
export const gridNotificationLimits = {
  /** How often a VTN is asked how it notifies, and whether it still has the subscription. */
  checkMs: 10 * 60_000,
  /** A subscription is replaced after this, with new secrets: a VTN may have given up on its callback. */
  renewMs: 24 * 60 * 60_000,
  /** How long a VTN may take for the end of its subscription, for which a request waits. */
  endMs: 10_000,
  /** Notifications that are taken for a connection in a minute, and bytes of one. */
  perMinute: 600,
  bodyBytes: 1024 * 1024,
  /** Characters of a value that is echoed. */
  echoLength: 1024,
  /** Programs whose topics are asked for where a VTN has none for all events. */
  programs: 50,
  /** Connections to brokers of one process, and those that it takes at once. */
  connections: 200,
  claimedTogether: 10,
  /** The shortest pause between two polls for connections to brokers. */
  pauseMs: 1000,
  leaseSeconds: 60,
  /** How long a stop waits for connections to end. */
  patienceSeconds: 5,
  /** The pause between two checks that a connection to a broker is still wanted. */
  wantedMs: 5000,
  /** The pauses after failed attempts double from the first to the longest. */
  firstPauseMs: 5000,
  longestPauseMs: 300_000
} as const
