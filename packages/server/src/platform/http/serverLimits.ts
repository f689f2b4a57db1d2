/** Limits of Node's parser. A request must arrive within a minute, so that slow senders do not hold connections. */
export const serverLimits = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node would respond to a request without a Host header itself, without a body.
  requireHostHeader: false
}

/** Node silently drops headers beyond 2000, perhaps one that would have been refused. */
export const MAX_HEADERS = 200

/** Limits of pipelined requests that wait behind the one being answered. */
export const pipelineLimits = {
  /** From this number on the connection is not read. */
  pausedFrom: 10,
  /** A packet may contain more requests; beyond this number the connection is closed. */
  waiting: 100,
  waitingInAll: 5_000
}
