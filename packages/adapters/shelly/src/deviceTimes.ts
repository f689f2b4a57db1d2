/** Times of a device's connection, in milliseconds, and how much it may send. */
export interface DeviceTimes {
  /** For a device's response to a request. */
  readonly response: number
  /** For a new connection to say which device it is. */
  readonly identify: number
  /** For a new connection to announce its whole status, before it is asked. */
  readonly announce: number
  /** Between pings. A device that has not responded by the next one is gone. */
  readonly ping: number
  /** Between requests for the whole status, which also show that the device still works. */
  readonly poll: number
  /** Between checks that the account still exists and that no other instance has the device. */
  readonly check: number
  /** The same while the account is being linked: a person waits. */
  readonly checkPending: number
  /** Between two readings of a component, however often it changes. */
  readonly reportEvery: number
  /** The same where a charger has started or stopped. */
  readonly switchEvery: number
  /** A reading that does not change is repeated, since a device without readings counts as offline. */
  readonly repeatAfter: number
  /** A device that has not connected again for so long is reported as unreachable. */
  readonly lostAfter: number
  /** For a relay to show a command in its status, and between two looks at it. */
  readonly settle: number
  readonly settleStep: number
  /** For the end of connections when the instance stops. */
  readonly farewell: number
  readonly messagesPerSecond: number
  readonly burst: number
}

export const deviceTimes: DeviceTimes = {
  response: 10_000,
  identify: 15_000,
  announce: 3_000,
  ping: 30_000,
  poll: 60_000,
  check: 60_000,
  checkPending: 3_000,
  reportEvery: 10_000,
  switchEvery: 1_000,
  repeatAfter: 240_000,
  lostAfter: 60_000,
  settle: 5_000,
  settleStep: 500,
  farewell: 3_000,
  messagesPerSecond: 50,
  burst: 500
}
