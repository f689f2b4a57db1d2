import { readNumber, registerTypes, writeNumber } from "@edp/adapter-kit/decoding/registers"
import { applyScale, decodeNumber, encodeNumber, numberTypes, removeScale } from "@edp/adapter-sunspec/points"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const holds = <S extends Schema.Top>(schema: S, property: (value: S["Type"]) => boolean, runs = 500) => {
  const result = Effect.runSync(
    Arbitrary.checkEffect(Arbitrary.schema(schema), (value) => Effect.sync(() => property(value)), { runs })
  )
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
}

const Value = Schema.Union([
  integer(-40_000, 70_000),
  integer(-(2 ** 32), 2 ** 33),
  Schema.Int,
  Schema.Finite,
  Schema.Literals([0, -1, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0xffff_ffff, -0x8000, -0x8000_0000])
])

describe("numbers in registers", () => {
  it("come back as they were written, in both orders, or are refused", () => {
    holds(
      Schema.Struct({ value: Value, type: Schema.Literals(registerTypes), order: Schema.Literals(["big", "little"]) }),
      ({ order, type, value }) => {
        const words = writeNumber(value, type, order)
        if (words === undefined) return type.startsWith("float") ? !Number.isFinite(Math.fround(value)) : true
        const expected = type === "float32" ? Math.fround(value) : value
        return words.every((word) => word >= 0 && word <= 0xffff) && readNumber(words, type, order) === expected + 0
      },
      2000
    )
  })

  it("that a type does not hold are refused", () => {
    expect(writeNumber(70_000, "uint16")).toBeUndefined()
    expect(writeNumber(-1, "uint32")).toBeUndefined()
    expect(writeNumber(1.5, "int32")).toBeUndefined()
    expect(writeNumber(Number.NaN, "float32")).toBeUndefined()
    expect(writeNumber(1e39, "float32")).toBeUndefined()
    expect(readNumber([0xffff, 0xffff, 0xffff, 0xfffe], "uint64")).toBeUndefined()
  })
})

describe("SunSpec points", () => {
  it("come back as they were written, or are refused as not implemented", () => {
    holds(
      Schema.Struct({ value: Value, type: Schema.Literals(numberTypes) }),
      ({ type, value }) => {
        const words = encodeNumber(value, type)
        return (
          words === undefined || decodeNumber(words, type) === (type === "float32" ? Math.fround(value) : value) + 0
        )
      },
      2000
    )
  })

  it.each([
    ["int16", [0x8000]],
    ["uint16", [0xffff]],
    ["acc16", [0]],
    ["enum16", [0xffff]],
    ["bitfield16", [0xffff]],
    ["bitfield16", [0x8001]],
    ["sunssf", [0x8000]],
    ["sunssf", [11]],
    ["int32", [0x8000, 0]],
    ["uint32", [0xffff, 0xffff]],
    ["acc32", [0, 0]],
    ["enum32", [0xffff, 0xffff]],
    ["bitfield32", [0xffff, 0xffff]],
    ["int64", [0x8000, 0, 0, 0]],
    ["uint64", [0xffff, 0xffff, 0xffff, 0xffff]],
    ["acc64", [0, 0, 0, 0]],
    ["float32", [0x7fc0, 0]],
    ["float64", [0x7ff8, 0, 0, 0]],
    ["int32", [1]]
  ] as const)("with type %s and registers %j have no value", (type, words) => {
    expect(decodeNumber(words, type)).toBeUndefined()
  })

  it("keep decimal places under a scale factor", () => {
    expect([applyScale(2301, -1), applyScale(3, 2), applyScale(-7, -3)]).toEqual([230.1, 300, -0.007])
    holds(
      Schema.Struct({ value: integer(-32_768, 32_767), scale: integer(-10, 10) }),
      ({ scale, value }) => removeScale(applyScale(value, scale), scale) === value
    )
  })
})
