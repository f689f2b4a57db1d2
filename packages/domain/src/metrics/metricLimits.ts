/** The most points of one series. */
export const MAX_POINTS = 5_000

/** The most points of one answer, over all its series. */
export const MAX_ANSWER = 100_000

/** The most devices that one question is about. */
export const MAX_DEVICES = 20_000

/** The most days of devices that one answer is computed from. */
export const MAX_DEVICE_DAYS = 1_000_000
