/** Determines the moments of all kills. Tests print it in their names; EDP_CRASH_SEED repeats them. */
export const crashSeed = Number(process.env["EDP_CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

const factor = Number(process.env["EDP_CRASH_ROUNDS"] ?? 1)

/** Every run draws other moments, so a few rounds a run cover many over time. EDP_CRASH_ROUNDS multiplies them. */
export const crashRounds = (rounds: number) => Math.max(1, Math.round(rounds * factor))
