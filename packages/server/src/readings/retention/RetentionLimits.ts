import { Context } from "effect"

export const RetentionLimits = Context.Reference<{
  /** Devices that are locked at once, for some hundredths of a second. */
  readonly devices: number
  /** How long other instances may take to learn of dropped months, in seconds. */
  readonly lag: number
}>("@edp/server/RetentionLimits", { defaultValue: () => ({ devices: 50, lag: 120 }) })
