/** Numbers in Modbus registers: 16 bits each, the most significant byte first. */

export const registerTypes = ["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"] as const
export type RegisterType = (typeof registerTypes)[number]

/** The order of the registers of one value: `big` has the most significant register first, `little` last. */
export type WordOrder = "big" | "little"

const bits = (type: RegisterType) => Number(/\d+$/.exec(type)![0])

/** The number of registers that a value takes. */
export const registersPerValue = (type: RegisterType): number => bits(type) / 16

const joined = (words: ReadonlyArray<number>, order: WordOrder): bigint =>
  (order === "big" ? words : words.toReversed()).reduce((sum, word) => (sum << 16n) | BigInt(word & 0xffff), 0n)

const split = (value: bigint, count: number, order: WordOrder): ReadonlyArray<number> => {
  const words = Array.from({ length: count }, (_, n) => Number((value >> BigInt(16 * (count - 1 - n))) & 0xffffn))
  return order === "big" ? words : words.toReversed()
}

const float = (pattern: bigint, type: "float32" | "float64"): number => {
  const view = new DataView(new ArrayBuffer(8))
  if (type === "float32") {
    view.setUint32(0, Number(pattern))
    return view.getFloat32(0)
  }
  view.setBigUint64(0, pattern)
  return view.getFloat64(0)
}

const floatPattern = (value: number, type: "float32" | "float64"): bigint => {
  const view = new DataView(new ArrayBuffer(8))
  if (type === "float32") {
    view.setFloat32(0, value)
    return BigInt(view.getUint32(0))
  }
  view.setFloat64(0, value)
  return view.getBigUint64(0)
}

/** The bits of the value's registers as an unsigned integer, for comparing with values that mean "no value". */
export const registerPattern = joined

/**
 * The number in the registers. Undefined if there are too few registers, if a float is no finite number, or if an integer is
 * so large that a number does not hold it exactly.
 */
export const readNumber = (
  words: ReadonlyArray<number>,
  type: RegisterType,
  order: WordOrder = "big"
): number | undefined => {
  const count = registersPerValue(type)
  if (words.length < count) return undefined
  const pattern = joined(words.slice(0, count), order)
  if (type === "float32" || type === "float64") {
    const value = float(pattern, type)
    return Number.isFinite(value) ? value : undefined
  }
  const value = Number(type.startsWith("int") ? BigInt.asIntN(bits(type), pattern) : pattern)
  return Number.isSafeInteger(value) ? value : undefined
}

/** The registers of a number; undefined if the type does not hold it. */
export const writeNumber = (
  value: number,
  type: RegisterType,
  order: WordOrder = "big"
): ReadonlyArray<number> | undefined => {
  const count = registersPerValue(type)
  if (!Number.isFinite(value)) return undefined
  if (type === "float32" || type === "float64") {
    if (type === "float32" && !Number.isFinite(Math.fround(value))) return undefined
    return split(floatPattern(value, type), count, order)
  }
  if (!Number.isSafeInteger(value)) return undefined
  const size = bits(type)
  const whole = BigInt(value)
  const held = type.startsWith("int") ? BigInt.asIntN(size, whole) : BigInt.asUintN(size, whole)
  return held === whole ? split(BigInt.asUintN(size, whole), count, order) : undefined
}

/** A text of two characters a register. Ends at the first NUL; undefined if nothing but spaces is left. */
export const readText = (words: ReadonlyArray<number>): string | undefined => {
  const bytes = Uint8Array.from(words.flatMap((word) => [(word >> 8) & 0xff, word & 0xff]))
  const end = bytes.indexOf(0)
  const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end)).trim()
  return text === "" ? undefined : text
}

/** The registers of a text, padded with NUL; undefined if it is too long. */
export const writeText = (text: string, count: number): ReadonlyArray<number> | undefined => {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > 2 * count) return undefined
  return Array.from({ length: count }, (_, n) => ((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0))
}
