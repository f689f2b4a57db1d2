import { askedPause } from "../../destinations/senders/DestinationSender.ts"

/** The time of a `Retry-After`, in seconds or as a date, in milliseconds since 1970; null if it names none. */
export const retryTime = (header: string | undefined, now: number): number | null => {
  const pause = askedPause(header, now)
  return pause === undefined ? null : now + pause
}

/** The kind and the location of an exception, without its message, which may hold parts of responses or credentials. */
export const defectLocation = (defect: unknown): string => {
  if (!(defect instanceof Error)) return "an exception"
  const frame = defect.stack?.split("\n").find((line) => line.trimStart().startsWith("at "))
  return `${defect.name} ${frame?.trim() ?? ""}`.trim()
}
