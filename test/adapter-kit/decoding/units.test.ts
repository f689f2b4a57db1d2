import { asNumber, parseJson, parsePath, valueAt } from "@edp/adapter-kit/decoding/jsonPath"
import { observe } from "@edp/adapter-kit/decoding/observation"
import { readText, writeText } from "@edp/adapter-kit/decoding/registers"
import { convertUnit, fieldUnits, parseUnit, unitNames } from "@edp/adapter-kit/decoding/units"
import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"

const holds = <S extends Schema.Top>(schema: S, property: (value: S["Type"]) => boolean) => {
  const result = Effect.runSync(
    Arbitrary.checkEffect(Arbitrary.schema(schema), (value) => Effect.sync(() => property(value)), { runs: 500 })
  )
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
}

describe("units", () => {
  it("convert there and back", () => {
    const value = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 }))
    holds(Schema.Struct({ value, from: Schema.Literals(unitNames), to: Schema.Literals(unitNames) }), (drawn) => {
      const there = convertUnit(drawn.value, drawn.from, drawn.to)
      const back = there === undefined ? drawn.value : convertUnit(there, drawn.to, drawn.from)!
      return Math.abs(back - drawn.value) <= 1e-6 * Math.max(1, Math.abs(drawn.value))
    })
  })

  it("convert to ours", () => {
    expect(convertUnit(20.5, "°C", "°F")).toBe(68.9)
    expect(convertUnit(0.0714, "kW", "W")).toBe(71.4)
    expect(convertUnit(412.073, "kWh", "Wh")).toBe(412_073)
    expect(convertUnit(100, "km", "mi")).toBe(62.1371192237)
    expect(convertUnit(1, "W", "Wh")).toBeUndefined()
    expect([parseUnit(" kW "), parseUnit("C"), parseUnit("hp"), parseUnit("constructor")]).toEqual([
      "kW",
      "°C",
      undefined,
      undefined
    ])
  })

  it("are known for every field of the contract that its description gives one", () => {
    let checked = 0
    for (const schema of Object.values(readingSchemas).filter((one) => "fields" in one)) {
      const described = Object.entries(schema.fields as Record<string, Schema.Top>).filter(([, field]) =>
        /, (?:Wh|W|V|A|percent|miles|degrees Fahrenheit)/.test(
          String(Schema.resolveAnnotations(field)?.["description"] ?? "")
        )
      )
      for (const [name] of described) expect([name, fieldUnits[name]]).toEqual([name, expect.stringMatching(/./)])
      checked += described.length
    }
    expect(checked).toBeGreaterThan(20)
  })
})

describe("texts in registers", () => {
  it("come back as they were written", () => {
    expect(readText(writeText("Primo GEN24", 16)!)).toBe("Primo GEN24")
    expect(readText([0, 0])).toBeUndefined()
    expect(readText([0x2020])).toBeUndefined()
    expect(writeText("too long", 3)).toBeUndefined()
  })
})

describe("paths into JSON", () => {
  it("reach keys and indexes, and nothing inherited", () => {
    const value = parseJson('{"a":[{"b c":1}],"em:0":{"p":2}}')
    const at = (path: string) => valueAt(value, parsePath(path)!)
    expect([at("a[0].b c"), at("em:0.p"), at("a[1].x"), at("constructor.name"), at("a.length")]).toEqual([
      1,
      2,
      undefined,
      undefined,
      undefined
    ])
    expect(["", ".a", "a.", "a[x]", "a[-1]"].map(parsePath)).toEqual(Array.from({ length: 5 }, () => undefined))
  })

  it("end in numbers only where the text is one", () => {
    expect(["12", " -3.5 ", "1e3", ".5"].map(asNumber)).toEqual([12, -3.5, 1000, 0.5])
    expect(["", "12 W", "NaN", "Infinity", "0x10", null, true].map(asNumber)).toEqual(
      Array.from({ length: 7 }, () => undefined)
    )
    expect(parseJson(" ".repeat(300_000))).toBeUndefined()
  })
})

describe("an observation", () => {
  it("computes Wh from percent and percent from Wh where the capacity is known", () => {
    const battery = (state: object, capacity?: number) =>
      observe("battery", state as Record<string, unknown>, capacity === undefined ? {} : { capacity })
    expect(battery({ chargePercentage: 50 }, 13_500)).toMatchObject({ state: { charge: 6750 }, missing: [] })
    expect(battery({ charge: 6750 }, 13_500)).toMatchObject({ state: { chargePercentage: 50 }, missing: [] })
    expect(battery({ chargePercentage: 50 }).missing).toEqual(["charge"])
  })

  it("invents no number, reports what the contract does not have, and rounds what it wants as integers", () => {
    expect(observe("meter", {}).missing).toEqual(["power"])
    expect(observe("meter", { power: -0.4, colour: "red" })).toEqual({
      type: "meter",
      state: { power: 0 },
      staticState: {},
      missing: [],
      problems: ["colour is not a field of this type of device"]
    })
  })
})
