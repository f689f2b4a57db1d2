import { inspect } from "node:util"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Logger } from "effect"

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

const json = ({ time, level, message, fields, cause }: LogEntry) =>
  JSON.stringify({ time, level, message, ...fields, ...(cause !== undefined && { cause }) })

const shown = (value: unknown) => (typeof value === "string" ? value : inspect(value, { breakLength: Infinity }))

const pretty = ({ time, level, message, fields = {}, cause }: LogEntry) => {
  const shownFields = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`)
  const below = cause === undefined ? "" : `\n${cause.replace(/^/gm, "  ")}`
  return `${time.slice(11, 23)} ${level} ${message}${shownFields.join("")}${below}`
}

/** An entry as it is printed, with API keys masked. */
export const logLine = (format: LogFormat, entry: LogEntry): string =>
  maskKeys(format === "json" ? json(entry) : pretty(entry))

const messageText = (message: unknown) => (Array.isArray(message) ? message.map(shown).join(" ") : shown(message))

/** Prints what the service logs in the configured format. */
export const logger = (format: LogFormat): Logger.Logger<unknown, void> =>
  Logger.withConsoleLog(
    Logger.map(Logger.formatStructured, ({ timestamp, level, message, annotations, cause }) =>
      logLine(format, { time: timestamp, level, message: messageText(message), fields: annotations, cause })
    )
  )
