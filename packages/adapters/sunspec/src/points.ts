import {
  readNumber,
  readText,
  registerPattern,
  registersPerValue,
  type RegisterType,
  writeNumber
} from "@edp/adapter-kit/decoding/registers"

/**
 * The types of points in the SunSpec Device Information Model, with the integers or floats that hold them and the value that
 * means "not implemented". An accumulator of 0 means that, too.
 */
const types = {
  int16: { register: "int16", absent: 0x8000n },
  uint16: { register: "uint16", absent: 0xffffn },
  count: { register: "uint16", absent: 0xffffn },
  acc16: { register: "uint16", absent: 0n },
  enum16: { register: "uint16", absent: 0xffffn },
  bitfield16: { register: "uint16", absent: 0xffffn },
  sunssf: { register: "int16", absent: 0x8000n },
  int32: { register: "int32", absent: 0x8000_0000n },
  uint32: { register: "uint32", absent: 0xffff_ffffn },
  acc32: { register: "uint32", absent: 0n },
  enum32: { register: "uint32", absent: 0xffff_ffffn },
  bitfield32: { register: "uint32", absent: 0xffff_ffffn },
  int64: { register: "int64", absent: 0x8000_0000_0000_0000n },
  uint64: { register: "uint64", absent: 0xffff_ffff_ffff_ffffn },
  acc64: { register: "uint64", absent: 0n },
  float32: { register: "float32", absent: undefined },
  float64: { register: "float64", absent: undefined }
} as const satisfies Record<string, { readonly register: RegisterType; readonly absent: bigint | undefined }>

export type NumberType = keyof typeof types
export const numberTypes = Object.keys(types) as ReadonlyArray<NumberType>

/** Scale factors are powers of ten within these bounds. */
const MAX_SCALE = 10

export const pointLength = (type: NumberType): number => registersPerValue(types[type].register)

/**
 * The number in a point's registers, without its scale factor. Undefined if the device does not implement it: NaN among
 * floats, a bit field whose highest bit is set, a scale factor outside -10 to 10.
 */
export const decodeNumber = (words: ReadonlyArray<number>, type: NumberType): number | undefined => {
  const { absent, register } = types[type]
  const length = registersPerValue(register)
  if (words.length < length) return undefined
  const own = words.slice(0, length)
  if (absent !== undefined && registerPattern(own, "big") === absent) return undefined
  const value = readNumber(own, register)
  if (value === undefined) return undefined
  if (type === "sunssf" && Math.abs(value) > MAX_SCALE) return undefined
  if (type.startsWith("bitfield") && (own[0]! & 0x8000) !== 0) return undefined
  return value
}

/** The registers of a number; undefined if the type does not hold it or its registers would say "not implemented". */
export const encodeNumber = (value: number, type: NumberType): ReadonlyArray<number> | undefined => {
  const words = writeNumber(value, types[type].register)
  return words === undefined || decodeNumber(words, type) === undefined ? undefined : words
}

/** A text; undefined if it is empty, which means that it is not implemented. */
export const decodeText = readText

/**
 * The value of a scaled point: `value * 10^scale`. Dividing by a positive power keeps the decimal places exact: 2301 and -1
 * are 230.1.
 */
export const applyScale = (value: number, scale: number): number =>
  scale < 0 ? value / 10 ** -scale : value * 10 ** scale

/** The integer that a scaled point holds for a value, rounded to the resolution of the scale factor. */
export const removeScale = (value: number, scale: number): number =>
  Math.round(scale < 0 ? value * 10 ** -scale : value / 10 ** scale) + 0
