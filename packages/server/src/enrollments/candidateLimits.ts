/** The limits of the work on candidates. docs/operations.md lists them for operators. */
export const candidateLimits = {
  /** The pause after each run. */
  pauseMs: 5000,
  /** Candidates that one statement reads. */
  readTogether: 2000,
  /** Candidates that one transaction judges. */
  judgedTogether: 200
} as const
