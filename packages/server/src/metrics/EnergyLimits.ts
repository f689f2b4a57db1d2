import { Context } from "effect"

/** What is held in memory at once, and read by one statement. */
export const EnergyLimits = Context.Reference<{
  readonly devices: number
  /** Of each device. */
  readonly readings: number
}>("@edp/server/EnergyLimits", { defaultValue: () => ({ devices: 50, readings: 2000 }) })
