import type { Language } from "@edp/domain/shared/Language"
import type { DistanceUnit, TemperatureUnit } from "@edp/domain/workspaces/displayUnits"
import { formatQuantity, type Unit } from "./format.ts"

/** The units in which a workspace shows temperatures and distances. */
export interface DisplayUnits {
  readonly temperatureUnit: TemperatureUnit
  readonly distanceUnit: DistanceUnit
}

/** The units of the API. */
export const apiUnits: DisplayUnits = { temperatureUnit: "F", distanceUnit: "mi" }

/** Kilometres of a mile. */
const MILE = 1.609344

export const celsius = (fahrenheit: number) => ((fahrenheit - 32) * 5) / 9
const fahrenheit = (degrees: number) => (degrees * 9) / 5 + 32

/** The unit in which a value of the API's unit is shown. */
export const shownUnit = (unit: Unit, { distanceUnit, temperatureUnit }: DisplayUnits): Unit => {
  if (unit === "°F" && temperatureUnit === "C") return "°C"
  if (distanceUnit === "mi") return unit
  return unit === "mi" ? "km" : unit === "mph" ? "km/h" : unit
}

/** A value of the API in the unit in which it is shown. */
export const shownValue = (value: number, unit: Unit, units: DisplayUnits): number => {
  const shown = shownUnit(unit, units)
  return shown === unit ? value : shown === "°C" ? celsius(value) : value * MILE
}

/** A value of the API with the unit in which it is shown. */
export const formatShown = (language: Language, value: number, unit: Unit, units: DisplayUnits): string =>
  formatQuantity(language, shownValue(value, unit, units), shownUnit(unit, units))

/** Digits that are typed and shown of a converted value. */
const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

/** A temperature of the API as a text to edit, in the unit of the workspace. */
export const temperatureText = (value: string, { temperatureUnit }: DisplayUnits): string =>
  temperatureUnit === "F" || value.trim() === "" || !Number.isFinite(Number(value))
    ? value
    : String(rounded(celsius(Number(value)), 2))

/** A typed temperature in degrees Fahrenheit. What is no number stays as it is, for the form to refuse. */
export const typedTemperature = (text: string, { temperatureUnit }: DisplayUnits): string => {
  const value = Number(text.trim().replace(",", "."))
  return temperatureUnit === "F" || text.trim() === "" || !Number.isFinite(value)
    ? text
    : String(rounded(fahrenheit(value), 6))
}
