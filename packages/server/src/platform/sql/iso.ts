/** Timestamps travel as text: ISO 8601 in UTC with milliseconds, formatted once, when the row is read. */
export const iso = (date: Date): string => date.toISOString()

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString())
