import { inspect } from "node:util"

export type LogFormat = "pretty" | "json"

/** The content of a log line. */
export interface LogEntry {
  /** ISO 8601 */
  readonly time: string
  readonly level: string
  readonly message: string
  readonly fields?: Readonly<Record<string, unknown>>
  /** The stack of an error, over several lines. */
  readonly cause?: string | undefined
}

/** The format of the log before the settings are checked. */
export const readLogFormat = (text: string, isTerminal: boolean): LogFormat =>
  (text === "" ? isTerminal : text !== "json") ? "pretty" : "json"

const json = ({ time, level, message, fields, cause }: LogEntry) =>
  JSON.stringify({ time, level, message, ...fields, ...(cause !== undefined && { cause }) })

export const shown = (value: unknown) => (typeof value === "string" ? value : inspect(value, { breakLength: Infinity }))

const pretty = ({ time, level, message, fields = {}, cause }: LogEntry) => {
  const shownFields = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`)
  const below = cause === undefined ? "" : `\n${cause.replace(/^/gm, "  ")}`
  return `${time.slice(11, 23)} ${level} ${message}${shownFields.join("")}${below}`
}

/** An entry as a line, or several with a cause. It must have no API keys. */
export const formatEntry = (format: LogFormat, entry: LogEntry): string =>
  format === "json" ? json(entry) : pretty(entry)
