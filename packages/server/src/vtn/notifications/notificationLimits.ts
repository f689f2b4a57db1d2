/** The limits of the work on notifications of OpenADR. docs/operations.md lists them for operators. */
export const notificationLimits = {
  /** The pause after each run. */
  pauseMs: 500,
  /** Callbacks that are claimed at once, and that are called at a time. */
  claimedTogether: 50,
  calledTogether: 10,
  /** Notifications of one callback that a claim sends, one after the other. */
  sentPerClaim: 20,
  /** The time limit of a call, from the name look-up to the last byte of the response. */
  callSeconds: 10,
  /** A callback that was claimed is due again after this, unless it is settled before. */
  leaseSeconds: 300,
  /** The pause after the first failure, which doubles with each, and the longest one. */
  firstPauseSeconds: 10,
  longestPauseSeconds: 3600,
  /** A callback that has failed for this long is broken: it gets no notifications until its subscription is updated. */
  brokenAfterSeconds: 86_400
} as const
