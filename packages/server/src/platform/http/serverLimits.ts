/** What Node's parser grants a request. Slow senders must not hold connections: a whole request arrives within a minute. */
export const serverLimits = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node would answer a request without a Host by itself, without a body.
  requireHostHeader: false,
  // Nothing here is upgraded: such a request is answered as if it had not asked for that.
  shouldUpgradeCallback: () => false
}

/** Node drops headers beyond 2000 without a word, and with them perhaps one that would have been refused. */
export const MAX_HEADERS = 200

/** How many requests may stand in line behind the one of their connection that is answered. */
export const pipelineLimits = {
  /** From so many on the connection is not read any more. */
  pausedFrom: 10,
  /** A packet may hold more than that; beyond so many the connection is cut. */
  waiting: 100,
  waitingInAll: 5_000
}

/** How long an answer may wait for a caller who reads nothing of it. */
export const UNREAD_TIMEOUT_MS = 30_000
