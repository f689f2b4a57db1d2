import { oneOf } from "../shared/quantities.ts"

export const temperatureUnits = ["F", "C"] as const
export const TemperatureUnit = oneOf(
  temperatureUnits,
  "Unit in which the dashboard shows and takes temperatures; the API has degrees Fahrenheit"
).annotate({ identifier: "TemperatureUnit" })
export type TemperatureUnit = typeof TemperatureUnit.Type

export const distanceUnits = ["mi", "km"] as const
export const DistanceUnit = oneOf(
  distanceUnits,
  "Unit in which the dashboard shows distances; the API has miles"
).annotate({ identifier: "DistanceUnit" })
export type DistanceUnit = typeof DistanceUnit.Type
