import { asNumber, isObject } from "@edp/adapter-kit/decoding/jsonPath"
import type { MeterValues } from "./meters.ts"

/** The sun's power in W, and its energy in Wh since the installation. */
export interface Solar {
  /** Milliseconds since 1970; null for the time of the response. */
  readonly measuredAt: number | null
  readonly power: number
  readonly energy: number | undefined
}

export const solarFromMeter = ({ delivered, measuredAt, power }: MeterValues): Solar => ({
  measuredAt,
  // The meter shows the inverters' own use at night.
  power: Math.max(0, power),
  energy: delivered
})

const sums = ["wattHoursToday", "wattHoursSevenDays", "wattHoursLifetime"]

/**
 * The sum of all microinverters in `/api/v1/production`; undefined if it is none. All energies are 0 soon after the start of old firmware,
 * and for good where a model that measures has no current transformers.
 */
export const solarFromSum = (body: unknown): Solar | undefined => {
  if (!isObject(body)) return undefined
  const power = asNumber(body["wattsNow"])
  const energies = sums.map((name) => asNumber(body[name]))
  if (power === undefined || energies.every((energy) => energy === undefined || energy === 0)) return undefined
  return { measuredAt: null, power: Math.max(0, power), energy: asNumber(body["wattHoursLifetime"]) }
}

const parts = (body: unknown, name: string): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const list: unknown = isObject(body) ? body[name] : undefined
  return Array.isArray(list) ? list.filter(isObject).filter((one) => (asNumber(one["activeCount"]) ?? 0) > 0) : []
}

const seconds = (part: Readonly<Record<string, unknown>>) => {
  const time = asNumber(part["readingTime"])
  return time === undefined || time <= 0 ? null : time * 1000
}

/** The last reports of the microinverters, in `/production.json`; undefined if there are none. */
export const solarFromInverters = (body: unknown): Solar | undefined => {
  const part = parts(body, "production").find(({ type }) => type === "inverters")
  const power = asNumber(part?.["wNow"])
  if (part === undefined || power === undefined) return undefined
  return {
    // They send nothing at night, when there is nothing to measure.
    measuredAt: power === 0 ? null : seconds(part),
    power: Math.max(0, power),
    energy: asNumber(part["whLifetime"])
  }
}

/** Power at the grid that the gateway computes from its meters, in `/production.json`: import is positive. */
export const netConsumption = (
  body: unknown
): { readonly power: number; readonly measuredAt: number | null } | undefined => {
  const part = parts(body, "consumption").find(({ measurementType }) => measurementType === "net-consumption")
  const power = asNumber(part?.["wNow"])
  return part === undefined || power === undefined ? undefined : { power, measuredAt: seconds(part) }
}
