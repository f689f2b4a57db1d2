const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The limits of connections to VTNs. Times are in milliseconds unless the name says otherwise. */
export const gridLimits = {
  /** Connections of a workspace. */
  connections: 20,
  /** The shortest pause between two looks for connections that are due. */
  pauseMs: 1000,
  /** Connections that one instance polls at a time. */
  polledTogether: 20,
  /** Leases end by themselves after this, unless they are renewed: a frozen instance's connections are taken over. */
  leaseSeconds: 60,
  /** How long a stop waits for polls to end. */
  patienceSeconds: 5,
  /** The longest pause between two polls of a VTN that fails. */
  longestPauseMs: HOUR,
  /** Polls that notifications cause begin at least this long after the one before, and for a VTN that fails. */
  hintPauseMs: 2000,
  failingHintPauseMs: 30_000,
  /** From the name look-up to the last byte of a response. */
  requestMs: 30_000,
  /** An event that a VTN no longer lists this soon before its end is over by the clock of the VTN. */
  clockDifferenceMs: MINUTE,
  /** The whole poll, with its reports. */
  pollMs: 4 * MINUTE,
  responseBytes: 8 * 1024 * 1024,
  /** Objects of a page; the most that the definition allows. */
  perPage: 50,
  programs: 500,
  events: 2000,
  /** Dispatches are created up to this time ahead; so are the days of events without an end. */
  horizonMs: 48 * HOUR,
  /** Readings of an interval may arrive for this long before it is reported on. */
  settlingMs: 2 * MINUTE,
  /** Reports that one poll sends. */
  reportsPerPoll: 100,
  /** Reports of an event that are looked through for one of which it is not known whether it arrived. */
  foundReports: 5000,
  /** Reports of events that ended before this are no longer made. */
  reportableMs: 7 * 24 * HOUR,
  /** Sites of a report by resource. */
  reportedSites: 10_000,
  /** Events are kept for this long after their end. */
  keptDays: 400
} as const
