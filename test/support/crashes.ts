/** Decides the moments of all kills. A test that fails names it; set EDP_CRASH_SEED to it to see the same moments again. */
export const crashSeed = Number(process.env["EDP_CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

const factor = Number(process.env["EDP_CRASH_ROUNDS"] ?? 1)

/** Every run draws other moments, so many runs together try more of them. EDP_CRASH_ROUNDS=5 does so in one run. */
export const crashRounds = (rounds: number) => Math.max(1, Math.round(rounds * factor))
