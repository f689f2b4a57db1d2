/** The limits of the work on resources of sites. docs/operations.md lists them for operators. */
export const siteResourceLimits = {
  /** The pause after each run. */
  pauseMs: 500,
  /** Changed sites that one transaction compares, and those that walks through customers and scopes add to them. */
  sitesTogether: 100,
  /** Walks that go on in one transaction. */
  walksTogether: 20,
  /** Resources that one transaction creates, updates or deletes. */
  changedTogether: 200
} as const
