/** The limits of objects at the OpenADR server. docs/operations.md lists them for operators. */
export const objectLimits = {
  /** Each change writes a notification for every callback, so a client can't have any number of them. */
  subscriptionsPerClient: 100,
  resourcesPerVen: 10_000,
  /** Reports that one client has on one event: more than a year of quarters of an hour. */
  reportsPerEvent: 50_000,
  /** Objects that a list may leave out before its page. */
  skipped: 100_000,
  /** Reports that one statement of the retention deletes. */
  deletedTogether: 1000
} as const
