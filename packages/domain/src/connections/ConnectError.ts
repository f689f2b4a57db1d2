/** Why a connection failed: the closed table of `error` values that a redirectUrl gets. */
export const connectErrors = {
  access_denied: "The person did not grant access at the manufacturer",
  expired: "The session expired before it was finished",
  unsupported_manufacturer: "Devices of the manufacturer cannot be connected",
  duplicate_connection: "The account, or every device of it, is already connected",
  no_devices: "The account has no devices",
  device_incompatible: "None of the account's devices can be connected",
  account_mismatch: "The person signed in to another account than the one to reconnect",
  consent_refused: "The person refused consent",
  manufacturer_unavailable: "The manufacturer's service is not available at present",
  configuration_error: "The manufacturer refuses this deployment's settings",
  server_error: "An unexpected error occurred"
} as const

export type ConnectError = keyof typeof connectErrors
