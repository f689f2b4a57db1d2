/** The limits of the work on notifications of OpenADR. docs/operations.md lists them for operators. */
export const notificationLimits = {
  /** The shortest pause between two polls for callbacks that are due. */
  pauseMs: 500,
  /** Callbacks that one process calls at a time; of these, callbacks that fail, and those of one client. */
  calledTogether: 40,
  failingTogether: 20,
  perClient: 10,
  /** Due callbacks among which a claim chooses. */
  considered: 500,
  /** Notifications of one callback that a claim sends, one after the other. */
  sentPerClaim: 20,
  /** The time limit of a call, from the name look-up to the last byte of the response. */
  callSeconds: 10,
  /** Leases end by themselves after this: a frozen process's callbacks are taken over. */
  leaseSeconds: 60,
  /** How long a stop waits for calls to end. */
  patienceSeconds: 5,
  /** The pause after the first failure, which doubles with each, and the longest one. */
  firstPauseSeconds: 10,
  longestPauseSeconds: 3600,
  /** A callback that has failed for this long is broken: it gets no notifications until its subscription is updated. */
  brokenAfterSeconds: 86_400
} as const
