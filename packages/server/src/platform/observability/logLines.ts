import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Logger } from "effect"
import { ownSlot } from "../processes/ownSlot.ts"
import { formatEntry, type LogEntry, type LogFormat, shown } from "./logEntry.ts"

/** Names this process in its lines, where there are others beside it. */
const ownFields = ownSlot === undefined ? {} : { process: ownSlot.name }

/** An entry as it is printed, with API keys masked. */
export const logLine = (format: LogFormat, { fields, ...entry }: LogEntry): string =>
  maskKeys(formatEntry(format, { ...entry, fields: { ...fields, ...ownFields } }))

const messageText = (message: unknown) => (Array.isArray(message) ? message.map(shown).join(" ") : shown(message))

/** Prints what the service logs in the configured format. */
export const logger = (format: LogFormat): Logger.Logger<unknown, void> =>
  Logger.withConsoleLog(
    Logger.map(Logger.formatStructured, ({ timestamp, level, message, annotations, cause }) =>
      logLine(format, { time: timestamp, level, message: messageText(message), fields: annotations, cause })
    )
  )
