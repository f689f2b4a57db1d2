/** The limits of the mails of enrollments. docs/operations.md lists them for operators. */
export const mailLimits = {
  /** The pause after each run. */
  pauseMs: 2000,
  /** Mails that are claimed and sent at a time. */
  claimedTogether: 20,
  sentTogether: 5,
  /** A mail that was claimed is due again after this, unless it is settled before. */
  leaseSeconds: 120,
  /** Mails that one address gets in an hour, whoever asks for them, and mails for one enrollment. */
  mailsPerHour: 5,
  mailsPerEnrollment: 5,
  /** Days for which the link of a mail works. */
  linkDays: 7
} as const
