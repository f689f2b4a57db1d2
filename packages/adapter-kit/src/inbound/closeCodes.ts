/** Codes with which the platform closes the sockets of devices (RFC 6455 and its registry). */
export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  serviceRestart: 1012
} as const
