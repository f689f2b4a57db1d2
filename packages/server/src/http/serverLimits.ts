/** What Node's parser grants a request. Slow senders must not hold connections: a whole request arrives within a minute. */
export const serverLimits = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node would answer a request without a Host by itself, without a body.
  requireHostHeader: false
}
