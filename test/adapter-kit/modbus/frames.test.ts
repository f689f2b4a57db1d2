import {
  decodeResponse,
  encodeRequest,
  isValidRequest,
  MAX_FRAME,
  type ModbusRequest,
  serialFraming
} from "@edp/adapter-kit/modbus/frames"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { exception, frame } from "../../support/peers/scriptedModbusDevice.ts"

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Read = Schema.Struct({
  kind: Schema.Literal("read"),
  unitId: integer(0, 255),
  table: Schema.Literals(["holding", "input"]),
  address: integer(0, 65_535 - 125),
  count: integer(1, 125)
})
const Write = Schema.Struct({
  kind: Schema.Literal("write"),
  unitId: integer(0, 255),
  address: integer(0, 65_535 - 123),
  words: Schema.Array(integer(0, 65_535)).check(Schema.isMinLength(1), Schema.isMaxLength(123)),
  single: Schema.Boolean
})
const Request = Schema.Union([Read, Write])
const Transaction = integer(0, 65_535)

const holds = <S extends Schema.Top>(schema: S, property: (value: S["Type"]) => boolean) => {
  const result = Effect.runSync(
    Arbitrary.checkEffect(Arbitrary.schema(schema), (value) => Effect.sync(() => property(value)), { runs: 500 })
  )
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
}

const valid = (request: typeof Request.Type): ModbusRequest =>
  request.kind === "write" && request.single ? { ...request, words: request.words.slice(0, 1) } : request

const functionCode = (request: ModbusRequest) =>
  request.kind === "read" ? (request.table === "holding" ? 3 : 4) : request.single === true ? 6 : 16

/** The response of a device that holds the address as the value of each register. */
const respondTo = (transaction: number, request: ModbusRequest) => {
  const { address, unitId } = request
  const head = { transaction, unitId, code: functionCode(request), address, count: 0, words: [] }
  const words = request.kind === "read" ? Array.from({ length: request.count }, (_, n) => address + n) : request.words
  const body = (values: ReadonlyArray<number>) => values.flatMap((value) => [value >> 8, value & 0xff])
  if (request.kind === "read") return frame(head, [2 * words.length, ...body(words)])
  return frame(head, body([address, request.single === true ? words[0]! : words.length]))
}

const Case = Schema.Struct({ transaction: Transaction, request: Request })

describe("a Modbus message", () => {
  it("is a request of the published form", () => {
    const read = { kind: "read", unitId: 17, table: "holding", address: 107, count: 3 } as const
    expect([...encodeRequest(1, read)]).toEqual([0, 1, 0, 0, 0, 6, 17, 3, 0, 107, 0, 3])
    const write = { kind: "write", unitId: 17, address: 1, words: [10, 258] } as const
    expect([...encodeRequest(258, write)]).toEqual([1, 2, 0, 0, 0, 11, 17, 16, 0, 1, 0, 2, 4, 0, 10, 1, 2])
  })

  it("fits into the largest frame, whatever is requested", () => {
    holds(Case, ({ request, transaction }) => {
      const bytes = encodeRequest(transaction, valid(request))
      return isValidRequest(valid(request)) && bytes.length <= MAX_FRAME && bytes[5] === bytes.length - 6
    })
  })

  it("is the response to its own request, once it is complete", () => {
    holds(Case, ({ request: any, transaction }) => {
      const request = valid(any)
      const bytes = respondTo(transaction, request)
      for (let length = 0; length < bytes.length; length++) {
        if (decodeResponse(bytes.subarray(0, length), transaction, request) !== "incomplete") return false
      }
      const decoded = decodeResponse(bytes, transaction, request)
      if (typeof decoded === "string" || !("response" in decoded)) return false
      const { response } = decoded
      return request.kind === "read"
        ? "registers" in response && response.registers.every((word, n) => word === request.address + n)
        : "written" in response
    })
  })

  it("is refused as the response to another request, or with anything after it", () => {
    const request = { kind: "read", unitId: 1, table: "holding", address: 0, count: 2 } as const
    const good = respondTo(7, request)
    const changed = (offset: number, value: number) => {
      const copy = Buffer.from(good)
      copy[offset] = value
      return copy
    }
    for (const bytes of [
      changed(1, 8),
      changed(2, 1),
      changed(5, 0),
      changed(4, 255),
      changed(6, 2),
      changed(7, 4),
      changed(7, 0x84),
      changed(8, 2),
      changed(8, 5),
      Buffer.concat([good, Buffer.from([0])])
    ]) {
      expect(decodeResponse(bytes, 7, request)).toHaveProperty("broken")
    }
    const write = { kind: "write", unitId: 1, address: 5, words: [1] } as const
    expect(decodeResponse(respondTo(7, { ...write, address: 6 }), 7, write)).toHaveProperty("broken")
  })

  it("has the published form of a serial line, and any wrong byte of its response is noticed", () => {
    const read = { kind: "read", unitId: 17, table: "holding", address: 107, count: 3 } as const
    expect([...serialFraming.encode(1, read)]).toEqual([17, 3, 0, 107, 0, 3, 118, 135])
    const good = [17, 3, 6, 174, 65, 86, 82, 67, 64, 73, 173]
    const response = { registers: [0xae41, 0x5652, 0x4340] }
    expect(serialFraming.decode(Uint8Array.from(good), 1, read)).toEqual({ response })
    for (const [n, byte] of good.entries()) {
      expect(serialFraming.decode(Uint8Array.from(good.slice(0, n)), 1, read)).toBe("incomplete")
      expect(serialFraming.decode(Uint8Array.from(good.with(n, byte ^ 4)), 1, read)).toHaveProperty("broken")
    }
    expect(serialFraming.decode(Uint8Array.from([...good, 0]), 1, read)).toHaveProperty("broken")
    // A unit that lacks the registers responds shorter.
    const refused = Uint8Array.from([17, 0x83, 2, 0xc1, 0x34])
    expect(serialFraming.decode(refused, 1, read)).toEqual({ response: { exception: 2 } })
  })

  it("can be an exception", () => {
    const request = { kind: "read", unitId: 1, table: "input", address: 0, count: 2 } as const
    const bytes = exception({ transaction: 3, unitId: 1, code: 4, address: 0, count: 2, words: [] }, 2)
    expect(decodeResponse(bytes, 3, request)).toEqual({ response: { exception: 2 } })
  })

  it("is decided by the time that the largest frame has come, whatever the bytes are", () => {
    holds(
      Schema.Struct({ ...Case.fields, bytes: Schema.Array(integer(0, 255)).check(Schema.isMaxLength(40)) }),
      ({ bytes, request: any, transaction }) => {
        const request = valid(any)
        decodeResponse(Uint8Array.from(bytes), transaction, request)
        const filled = Uint8Array.from({ length: MAX_FRAME + 1 }, (_, n) => bytes[n % (bytes.length || 1)] ?? 0)
        return decodeResponse(filled, transaction, request) !== "incomplete"
      }
    )
  })

  it.each([
    { kind: "read", unitId: 1, table: "holding", address: 0, count: 126 },
    { kind: "read", unitId: 1, table: "holding", address: 0, count: 0 },
    { kind: "read", unitId: 256, table: "holding", address: 0, count: 1 },
    { kind: "read", unitId: 1, table: "holding", address: 65_535, count: 2 },
    { kind: "write", unitId: 1, address: 0, words: [] },
    { kind: "write", unitId: 1, address: 0, words: [65_536] },
    { kind: "write", unitId: 1, address: 0, words: [1, 2], single: true }
  ] as const satisfies ReadonlyArray<ModbusRequest>)("holds no request like %j", (request) => {
    expect(isValidRequest(request)).toBe(false)
  })
})
