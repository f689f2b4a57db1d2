import { parseTimestamp } from "@edp/domain/shared/Timestamps"

/** The service takes no readings from before. */
const EARLIEST = Date.UTC(2000, 0, 1)

/** The instant of a cell in milliseconds since 1970, or what the cell takes instead. `latest` is the last one to take. */
export const momentOf = (text: string | undefined, latest: number): number | string => {
  const at = parseTimestamp(text ?? "")
  if (at === undefined) return "a date-time such as 2025-06-21T13:00:00-08:00"
  if (at < EARLIEST) return "a date-time of the year 2000 or later"
  return at > latest ? `a date-time up to ${new Date(latest).toISOString()}` : at
}
