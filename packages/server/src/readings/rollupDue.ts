/**
 * How much time a device's readings must span before they are rolled up; readers compute the rest from the readings.
 * Longer spares writing, shorter spares reading.
 */
export const ROLL_AFTER = "1 hour"
