/** Times of a station's connection, in milliseconds, and how much it may send. */
export interface StationTimes {
  /** For a station's response to a request. */
  readonly response: number
  /** Between pings. A station that has not answered by the next one is gone. */
  readonly ping: number
  /** Between checks that the account still exists and that no other instance has the station. */
  readonly check: number
  /** The same while the account is being linked: a person waits. */
  readonly checkPending: number
  /** Connectors announce themselves one by one: their account gets them together. */
  readonly announce: number
  /** A connector that says nothing is reported again, since a device without readings counts as offline. */
  readonly refresh: number
  /** A station that has been silent for so many heartbeats is disconnected. */
  readonly silentHeartbeats: number
  /** For the end of connections when the instance stops. */
  readonly farewell: number
  readonly messagesPerSecond: number
  readonly burst: number
}

export const stationTimes: StationTimes = {
  response: 30_000,
  ping: 30_000,
  check: 60_000,
  checkPending: 3_000,
  announce: 2_000,
  refresh: 240_000,
  silentHeartbeats: 3,
  farewell: 3_000,
  messagesPerSecond: 50,
  burst: 500
}
