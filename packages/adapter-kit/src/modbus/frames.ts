/** Messages of Modbus TCP, by the MODBUS Application Protocol 1.1b3 and its guide for TCP/IP 1.0b. */

export type RegisterTable = "holding" | "input"

export type ModbusRequest =
  | {
      readonly kind: "read"
      readonly unitId: number
      readonly table: RegisterTable
      readonly address: number
      readonly count: number
    }
  | {
      readonly kind: "write"
      readonly unitId: number
      readonly address: number
      readonly words: ReadonlyArray<number>
      /** By function 6, which some devices take in place of function 16. It writes one register. */
      readonly single?: boolean
    }

export type ModbusResponse =
  | { readonly registers: ReadonlyArray<number> }
  | { readonly written: true }
  /** The device refuses; the code of `exceptionNames`. */
  | { readonly exception: number }

/** Limits of one message, in registers. */
export const MAX_READ_REGISTERS = 125
export const MAX_WRITE_REGISTERS = 123

/** Bytes before the unit id: transaction, protocol and length. */
const HEADER = 6
/** The unit id and the longest message after it. */
const MAX_LENGTH = 254
/** The largest message. */
export const MAX_FRAME = HEADER + MAX_LENGTH

export const exceptionNames: Readonly<Record<number, string>> = {
  1: "Illegal function",
  2: "Illegal data address",
  3: "Illegal data value",
  4: "Server device failure",
  5: "Acknowledge",
  6: "Server device busy",
  8: "Memory parity error",
  10: "Gateway path unavailable",
  11: "Gateway target device failed to respond"
}

export const exceptionName = (code: number): string => exceptionNames[code] ?? `Exception ${code}`

const functionCode = (request: ModbusRequest) =>
  request.kind === "read" ? (request.table === "holding" ? 3 : 4) : request.single === true ? 6 : 16

const word = (value: number) => [(value >> 8) & 0xff, value & 0xff]

const requestBody = (request: ModbusRequest): ReadonlyArray<number> => {
  if (request.kind === "read") return [...word(request.address), ...word(request.count)]
  const { address, single, words } = request
  const values = words.flatMap(word)
  return single === true
    ? [...word(address), ...values]
    : [...word(address), ...word(words.length), values.length, ...values]
}

const isInteger = (value: number, minimum: number, maximum: number) =>
  Number.isInteger(value) && value >= minimum && value <= maximum

/** Whether one message can hold the request. */
export const isValidRequest = (request: ModbusRequest): boolean => {
  const count = request.kind === "read" ? request.count : request.words.length
  const limit = request.kind === "read" ? MAX_READ_REGISTERS : request.single === true ? 1 : MAX_WRITE_REGISTERS
  return (
    isInteger(request.unitId, 0, 255) &&
    isInteger(count, 1, limit) &&
    isInteger(request.address, 0, 0x10000 - count) &&
    (request.kind === "read" || request.words.every((one) => isInteger(one, 0, 0xffff)))
  )
}

/** The bytes of a valid request by Modbus TCP. `transaction` is from 0 to 65,535. */
export const encodeRequest = (transaction: number, request: ModbusRequest): Uint8Array => {
  const body = requestBody(request)
  return Uint8Array.from([
    ...word(transaction),
    ...word(0),
    ...word(body.length + 2),
    request.unitId,
    functionCode(request),
    ...body
  ])
}

/** `incomplete`: more bytes must come. `broken`: the bytes cannot be the response to the request. */
export type Decoded = "incomplete" | { readonly broken: string } | { readonly response: ModbusResponse }

const broken = (reason: string): Decoded => ({ broken: reason })

/** The response to a request by Modbus TCP in the bytes that came since it was sent. The device sends nothing but this response. */
export const decodeResponse = (bytes: Uint8Array, transaction: number, request: ModbusRequest): Decoded => {
  const at = (offset: number) => (bytes[offset]! << 8) | bytes[offset + 1]!
  // Each field is checked as soon as it is there, so that a peer that speaks another protocol is not waited for.
  if (bytes.length >= 2 && at(0) !== transaction) return broken("The transaction is not that of the request")
  if (bytes.length >= 4 && at(2) !== 0) return broken("The protocol is not Modbus")
  if (bytes.length < HEADER) return "incomplete"
  const length = at(4)
  if (length < 3 || length > MAX_LENGTH) return broken(`The message has the impossible length ${length}`)
  if (bytes.length > HEADER + length) return broken("More came than the response")
  if (bytes.length > HEADER && bytes[HEADER] !== request.unitId) return broken("The unit is not that of the request")
  if (bytes.length < HEADER + length) return "incomplete"

  return decodeMessage(bytes.subarray(HEADER + 1), request)
}

/** A message from its function on. */
const decodeMessage = (message: Uint8Array, request: ModbusRequest): Decoded => {
  const code = functionCode(request)
  const body = message.subarray(1)
  if (message[0] === (code | 0x80)) {
    return body.length === 1 ? { response: { exception: body[0]! } } : broken("The exception has no code")
  }
  if (message[0] !== code) return broken("The function is not that of the request")
  const wordAt = (offset: number) => (body[offset]! << 8) | body[offset + 1]!
  if (request.kind === "read") {
    if (body[0] !== 2 * request.count || body.length !== 1 + body[0]) {
      return broken(`The response does not have ${request.count} registers`)
    }
    return { response: { registers: Array.from({ length: request.count }, (_, n) => wordAt(1 + 2 * n)) } }
  }
  const echoed = request.single === true ? request.words[0] : request.words.length
  return body.length === 4 && wordAt(0) === request.address && wordAt(2) === echoed
    ? { response: { written: true } }
    : broken("The response does not repeat what was written")
}

/** The checksum of a message on a serial line, by Modbus over Serial Line 1.02. */
const checksum = (bytes: Uint8Array): number => {
  let sum = 0xffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >> 1 : (sum >> 1) ^ 0xa001
  }
  return sum
}

/** The bytes of a valid request as on a serial line: without a transaction, with a checksum. */
const encodeSerial = (request: ModbusRequest): Uint8Array => {
  const message = Uint8Array.from([request.unitId, functionCode(request), ...requestBody(request)])
  const sum = checksum(message)
  return Uint8Array.from([...message, sum & 0xff, sum >> 8])
}

/** The response as on a serial line. Its function and its request tell how long it is. */
const decodeSerial = (bytes: Uint8Array, request: ModbusRequest): Decoded => {
  const code = functionCode(request)
  if (bytes.length >= 1 && bytes[0] !== request.unitId) return broken("The unit is not that of the request")
  if (bytes.length < 2) return "incomplete"
  const isException = bytes[1] === (code | 0x80)
  if (!isException && bytes[1] !== code) return broken("The function is not that of the request")
  const length = isException ? 5 : request.kind === "read" ? 5 + 2 * request.count : 8
  if (bytes.length > length) return broken("More came than the response")
  if (bytes.length < length) return "incomplete"
  const message = bytes.subarray(0, length - 2)
  if ((bytes[length - 2]! | (bytes[length - 1]! << 8)) !== checksum(message)) return broken("The checksum is wrong")
  return decodeMessage(message.subarray(1), request)
}

/** How messages are packed on a connection. */
export interface Framing {
  readonly encode: (transaction: number, request: ModbusRequest) => Uint8Array
  readonly decode: (bytes: Uint8Array, transaction: number, request: ModbusRequest) => Decoded
}

/** Modbus TCP. */
export const tcpFraming: Framing = { encode: encodeRequest, decode: decodeResponse }

/** Messages of a serial line over TCP, as converters from RS485 pass them on. */
export const serialFraming: Framing = {
  encode: (_, request) => encodeSerial(request),
  decode: (bytes, _, request) => decodeSerial(bytes, request)
}
