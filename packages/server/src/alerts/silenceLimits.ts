/** The limits of the watch for silent devices. docs/operations.md lists them for operators. */
export const silenceLimits = {
  /** The pause after each run. */
  pauseMs: 1000,
  /** Devices that one transaction checks: the readings of its silent devices wait for it, on the embedded database everything else. */
  devicesTogether: 250,
  embeddedDevicesTogether: 100,
  /** The pause before a device is checked again whose reading was being written during the check. */
  whileWrittenMs: 1000,
  /** The longest time until the next check, so that a window that was shortened takes effect. */
  longestWaitSeconds: 3600
} as const
