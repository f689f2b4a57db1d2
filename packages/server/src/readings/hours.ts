export const HOUR = 3_600_000

/** The start of the UTC hour, in milliseconds since 1970. */
export const startOfHour = (at: number) => Math.floor(at / HOUR) * HOUR
