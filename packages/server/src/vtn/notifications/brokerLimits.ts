/** The limits of notifications at the broker of the OpenADR server. docs/operations.md lists them for operators. */
export const brokerLimits = {
  /** The pause after each run. */
  pauseMs: 200,
  /** Messages of a run. */
  publishedTogether: 500,
  /** Receivers whose messages are under way at a time; those of one are published one after the other. */
  receiversTogether: 20,
  /** The time limit of a run. */
  runSeconds: 120,
  /** The instance that publishes is taken to have ended after this. */
  leaseSeconds: 180,
  /** The connection is closed after so long without a message. */
  idleSeconds: 300,
  /** The pauses after failures double from the first to the longest. */
  firstPauseSeconds: 2,
  longestPauseSeconds: 60,
  /** After so many failed runs, one message is under way at a time. */
  carefulAfter: 3,
  /** Attempts for a message at which the connection breaks then, after which it is dropped. */
  attempts: 5,
  /** Messages that wait for a broker that is away: older ones, and those beyond this number, are dropped. */
  keptSeconds: 86_400,
  kept: 100_000
} as const
