/** Length of a simulated step. Steps begin at whole minutes since 1970. */
export const STEP_MS = 60_000
export const STEP_HOURS = 1 / 60
export const DAY_MINUTES = 1440

export interface LocalTime {
  /** Local days since 1970. */
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** Minutes since local midnight, 0 to 1439. */
  readonly minute: number
}

/** The wall clock of a site at a fixed offset from UTC, in minutes east. */
export const localTime = (utcOffsetMinutes: number, time: number): LocalTime => {
  const minutes = Math.floor(time / STEP_MS) + utcOffsetMinutes
  const day = Math.floor(minutes / DAY_MINUTES)
  // 1 January 1970 was a Thursday.
  return { day, weekday: (((day + 4) % 7) + 7) % 7, minute: minutes - day * DAY_MINUTES }
}

/** The start of the step that contains the time, and the start of the first step at or after it. */
export const floorToStep = (time: number): number => Math.floor(time / STEP_MS) * STEP_MS
export const ceilToStep = (time: number): number => Math.ceil(time / STEP_MS) * STEP_MS

/** Whether a minute of the day is in a daily window; a window whose end is before its start runs past midnight. */
export const isWithin = (window: DailyWindow, minute: number): boolean =>
  window.from <= window.to ? minute >= window.from && minute < window.to : minute >= window.from || minute < window.to

/** Minutes since local midnight; the end is exclusive. */
export interface DailyWindow {
  readonly from: number
  readonly to: number
}
