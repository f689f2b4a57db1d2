/** Payload types of events that carry a price or another figure, and command nothing. */
export const signalTypes = ["PRICE", "PRICE_ALTERNATE", "EXPORT_PRICE", "GHG"] as const

export const alertTypes = [
  "ALERT_GRID_EMERGENCY",
  "ALERT_BLACK_START",
  "ALERT_POSSIBLE_OUTAGE",
  "ALERT_FLEX_ALERT",
  "ALERT_FIRE",
  "ALERT_FREEZING",
  "ALERT_WIND",
  "ALERT_TSUNAMI",
  "ALERT_AIR_QUALITY",
  "ALERT_OTHER"
] as const

/** Payload types of events that devices can follow, once an operator has mapped them. */
export const controlTypes = [
  "SIMPLE",
  "CONTROL_LEVEL_OFFSET",
  "DISPATCH_SETPOINT",
  "DISPATCH_SETPOINT_RELATIVE",
  "CHARGE_STATE_SETPOINT",
  "IMPORT_CAPACITY_LIMIT",
  "EXPORT_CAPACITY_LIMIT"
] as const
export type ControlType = (typeof controlTypes)[number]

/** The resource name of a report over several resources. */
export const AGGREGATED_REPORT = "AGGREGATED_REPORT"
