/**
 * Random numbers as functions of (seed, stream, index). Nothing is drawn in an order, so any instant can be computed
 * alone. A stream is a constant that keeps the quantities of one seed apart. Integer arithmetic only.
 */

const mix = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

/** 32 bits. */
export const hash = (seed: number, stream: number, index: number): number =>
  mix((mix((mix(seed | 0) + Math.imul(stream | 0, 0x9e3779b9)) | 0) + Math.imul(index | 0, 0x27d4eb2f)) | 0)

/** At least 0 and below 1. */
export const uniform = (seed: number, stream: number, index: number): number => hash(seed, stream, index) / 2 ** 32

/** Nearly normal, mean 0 and variance 1: the scaled sum of four bytes. */
export const normal = (seed: number, stream: number, index: number): number => {
  const bits = hash(seed, stream, index)
  const sum = (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24)
  return (sum / 255 - 2) * Math.sqrt(3)
}

/** A smooth curve through normal draws at whole `x`: the value noise of computer graphics, with smoothstep between knots. */
export const smoothNoise = (seed: number, stream: number, x: number): number => {
  const knot = Math.floor(x)
  const share = x - knot
  const weight = share * share * (3 - 2 * share)
  return normal(seed, stream, knot) * (1 - weight) + normal(seed, stream, knot + 1) * weight
}

/** One of the values. */
export const pick = <A>(values: readonly [A, ...Array<A>], seed: number, stream: number, index: number): A =>
  values[Math.floor(uniform(seed, stream, index) * values.length)] ?? values[0]

/** Whether an event with this probability happens. */
export const happens = (probability: number, seed: number, stream: number, index: number): boolean =>
  uniform(seed, stream, index) < probability
