import type { Language } from "@edp/domain/shared/Language"
import { dateFormat, locales, numberFormat, relativeFormat } from "./intlFormats.ts"

/** The locale whose numbers and dates a language has. */
export const formatLocale = (language: Language): string => locales[language]

/** A count or another plain number. */
export const formatNumber = (language: Language, value: number, maximumFractionDigits = 0) =>
  numberFormat(language, { maximumFractionDigits, signDisplay: "negative" }).format(value)

/** A share from 0 to 1 in percent. */
export const formatShare = (language: Language, share: number, maximumFractionDigits = 0) =>
  numberFormat(language, { style: "percent", maximumFractionDigits, signDisplay: "negative" }).format(share)

/** The units of figures, as the API gives them. */
export type Unit =
  | "W"
  | "Wh"
  | "kWh"
  | "kW"
  | "%"
  | "°C"
  | "°F"
  | "V"
  | "A"
  | "Hz"
  | "Ah"
  | "km"
  | "mi"
  | "km/h"
  | "mph"
  | "L"
  | "s"
  | "ms"
  | "B"
  | ""

const steps = ["", "k", "M", "G"]

/** A value with its unit: watts, watt-hours and bytes in the prefix that fits, such as 12,345 W as 12.3 kW. */
export const formatQuantity = (language: Language, value: number, unit: Unit): string => {
  if (unit === "%") return formatShare(language, value / 100, 1)
  if (unit === "") return formatNumber(language, value, 2)
  const scales = unit === "W" || unit === "Wh" || unit === "B"
  const size = scales ? steps.findLastIndex((_, power) => power === 0 || Math.abs(value) >= 1000 ** power) : 0
  const scaledValue = value / 1000 ** size
  const digits = Math.abs(scaledValue) >= 100 || (scales && size === 0) ? 0 : Math.abs(scaledValue) >= 10 ? 1 : 2
  return `${formatNumber(language, scaledValue, digits)}\u00a0${steps[size]}${unit}`
}

/** A value with all its digits in its own unit, such as 8,183,499 Wh. */
export const formatExact = (language: Language, value: number, unit: Unit): string =>
  unit === "%" ? formatShare(language, value / 100, 3) : `${formatNumber(language, value, 3)}\u00a0${unit}`.trim()

const instant: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short"
}

/** A date and a time in the time zone of the options, which the page names; without options, in that of the browser, with its name. */
export const formatTime = (language: Language, time: number, options: Intl.DateTimeFormatOptions = instant) =>
  dateFormat(language, options).format(time)

/** The first and the last day of a time, such as "Nov 23 – 29, 2026". `to` is exclusive. */
export const formatDays = (language: Language, from: number, to: number, timeZone: string) =>
  dateFormat(language, { dateStyle: "medium", timeZone }).formatRange(from, to - 1)

/** The first and the last minute of a time, such as "Nov 23, 2026, 2:00 – 3:30 PM". */
export const formatTimes = (language: Language, from: number, to: number, timeZone: string | undefined) =>
  dateFormat(language, {
    dateStyle: "medium",
    timeStyle: "short",
    ...(timeZone !== undefined && { timeZone })
  }).formatRange(from, to)

const spans = [
  ["second", 1],
  ["minute", 60],
  ["hour", 3600],
  ["day", 86_400],
  ["month", 2_629_800],
  ["year", 31_557_600]
] as const

/** The distance of a time from the present, such as "3 min. ago" or "in 2 days". */
export const formatAge = (language: Language, time: number, now: number): string => {
  const seconds = (time - now) / 1000
  const size = Math.abs(seconds)
  let [unit, length] = spans[0] as (typeof spans)[number]
  for (const [each, least] of spans) if (size >= least * 0.95) [unit, length] = [each, least]
  // The short form of months is "m" in Spanish, which reads as minutes.
  const style = unit === "month" ? "long" : "short"
  return relativeFormat(language, { numeric: "always", style }).format(Math.round(seconds / length), unit)
}
