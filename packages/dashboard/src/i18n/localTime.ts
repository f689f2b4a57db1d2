/** A time as the control for local dates and times has it, in the time zone of the browser: `2026-03-01T12:00`. */
export const toLocalInput = (time: number): string => {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time of such a control as the API takes it; undefined for an empty or unfinished one. */
export const fromLocalInput = (text: string | undefined): string | undefined => {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return undefined
  const time = new Date(text).getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
