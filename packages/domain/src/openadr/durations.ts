const pattern =
  /^(-?)P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)([DW]))?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/u

/** Whether a text has the form of a duration of OpenADR, a subset of ISO 8601. */
export const isDuration = (text: string): boolean => pattern.test(text)

/** A duration from this number of years has no end: `P9999Y` is the usual way to write that. */
const ENDLESS_YEARS = 1000

/** The last millisecond that a date can express. */
const LAST = 8_640_000_000_000_000

const at = (fields: RegExpExecArray, index: number) => Number(fields[index] ?? 0)

/**
 * The time that lies a duration after a time, both in milliseconds since 1970; null if the duration has no end. Years and months
 * are those of the calendar in UTC, and the last day of a month is kept within it: P1M after 31 January is 28 or 29 February.
 */
export const addDuration = (start: number, duration: string): number | null => {
  const fields = pattern.exec(duration)
  if (fields === null) throw new RangeError(`${duration} is no duration of ISO 8601`)
  const sign = fields[1] === "-" ? -1 : 1
  const years = at(fields, 2)
  if (years >= ENDLESS_YEARS) return null
  const days = at(fields, 4) * (fields[5] === "W" ? 7 : 1)
  const rest = (((days * 24 + at(fields, 6)) * 60 + at(fields, 7)) * 60 + at(fields, 8)) * 1000
  const months = sign * (years * 12 + at(fields, 3))
  const moved = new Date(start)
  if (months !== 0) {
    const day = moved.getUTCDate()
    moved.setUTCDate(1)
    moved.setUTCMonth(moved.getUTCMonth() + months)
    const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
    moved.setUTCDate(Math.min(day, lastDay))
  }
  const end = moved.getTime() + sign * Math.round(rest)
  return Number.isFinite(end) && Math.abs(end) <= LAST ? end : null
}

/** The length of a duration in milliseconds, with calendar years and months as from 1970; null if it has no end. */
export const durationMillis = (duration: string): number | null => addDuration(0, duration)

/** A duration of whole seconds in ISO 8601. */
export const toDuration = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const text = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${rest > 0 ? `${rest}S` : ""}`
  return text === "" ? "PT0S" : `PT${text}`
}
