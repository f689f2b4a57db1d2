import { Context } from "effect"

export const RetentionLimits = Context.Reference<{
  /** Devices that are held at once, for some hundredths of a second. */
  readonly devices: number
  /** What other instances know of dropped months may lag so far behind, seconds. */
  readonly lag: number
}>("@edp/server/RetentionLimits", { defaultValue: () => ({ devices: 50, lag: 120 }) })
