import { DateTime } from "effect"

const PEAK_WATTS = 4200
const QUARTERS = 96
const RISE_HOUR = 6
const SET_HOUR = 18

/** A cloudless day, UTC: half a sine from 6 to 18 o'clock. */
const wattsAt = (hour: number) =>
  hour < RISE_HOUR || hour > SET_HOUR
    ? 0
    : Math.round(PEAK_WATTS * Math.sin((Math.PI * (hour - RISE_HOUR)) / (SET_HOUR - RISE_HOUR)))

/** Readings of yesterday, one each quarter of an hour: the same whenever they are asked for on one day. */
export const solarDay = (now: DateTime.Utc) => {
  const start = DateTime.subtract(DateTime.startOf(now, "day"), { days: 1 })
  return Array.from({ length: QUARTERS }, (_, quarter) => ({
    timestamp: DateTime.formatIso(DateTime.add(start, { minutes: 15 * quarter })),
    state: { power: wattsAt(quarter / 4) }
  }))
}
