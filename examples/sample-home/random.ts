/**
 * A 32-bit seeded generator (a Weyl sequence mixed by two multiply-xorshift rounds). Integer arithmetic only, so
 * every machine draws the same numbers.
 */
export const uniform = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

/** Nearly normal, mean 0 and variance 1: the sum of twelve uniform draws less six needs no logarithm. */
export const normal = (draw: () => number): number => {
  let sum = -6
  for (let index = 0; index < 12; index++) sum += draw()
  return sum
}
