import {
  chosenSubprotocol,
  defaultLimits,
  type Frame,
  nestingDepth,
  type OcppVersion,
  readFrame,
  writeFrame
} from "@edp/adapter-ocpp/frames"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"

const versions: ReadonlyArray<OcppVersion> = ["1.6", "2.0.1"]

const check = <S extends Schema.Top>(schema: S, property: (value: S["Type"]) => boolean) => {
  const result = Effect.runSync(Arbitrary.checkEffect(Arbitrary.schema(schema as any), property as any, { runs: 300 }))
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
}

const id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(36))
const payload = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

describe("framing", () => {
  test("reads what it writes, whatever the content", () => {
    const frames = Schema.Struct({ id, action: id, payload, description: Schema.String })
    check(frames, ({ action, description, id, payload }) => {
      const written: ReadonlyArray<Frame> = [
        { _tag: "Call", id, action, payload },
        { _tag: "CallResult", id, payload },
        { _tag: "CallError", id, code: action, description, details: payload }
      ]
      return written.every((frame) =>
        versions.every((version) => {
          const read = readFrame(version, writeFrame(frame))
          return JSON.stringify(read) === JSON.stringify({ ...frame })
        })
      )
    })
  })

  test("takes any text without throwing, and never responds to a response", () => {
    const texts = Schema.Union([
      Schema.String,
      Schema.Array(Schema.Union([Schema.Finite, Schema.String, Schema.Null, payload])).check(Schema.isMaxLength(6))
    ])
    check(texts, (value) => {
      const text = typeof value === "string" ? value : JSON.stringify(value)
      return versions.every((version) => {
        const read = readFrame(version, text)
        const isResponse = Array.isArray(value) && (value[0] === 3 || value[0] === 4)
        return !isResponse || read._tag !== "Malformed" || read.response === null
      })
    })
  })

  test("measures the nesting of any JSON as a parser would find it", () => {
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
    const nested = Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.Union([Schema.String, payload]))))
    check(nested, (value) => nestingDepth(JSON.stringify(value)) === depth(value))
  })

  test.each([
    ["text that is not JSON", "[2,"],
    ["an object", `{"a":1}`],
    ["a call without an id", `[2]`],
    ["a call with an id that is too long", JSON.stringify([2, "x".repeat(37), "Heartbeat", {}])],
    [
      "a message that is too large",
      JSON.stringify([2, "1", "DataTransfer", { data: "x".repeat(defaultLimits.maxBytes) }])
    ],
    ["a message that is nested too deeply", `[2,"1","DataTransfer",${"[".repeat(20)}${"]".repeat(20)}]`]
  ])("drops %s in 1.6 and responds to it for the id -1 in 2.0.1", (_, text) => {
    expect(readFrame("1.6", text)).toMatchObject({ _tag: "Malformed", response: null })
    expect(readFrame("2.0.1", text)).toMatchObject({
      _tag: "Malformed",
      response: { id: "-1", code: "RpcFrameworkError" }
    })
  })

  test("drops a message of an unknown type in both versions", () => {
    for (const version of versions) expect(readFrame(version, `[9,"1","X",{}]`)).toMatchObject({ response: null })
  })

  test("responses a payload that is no object with the name that the version has for it", () => {
    expect(readFrame("1.6", `[2,"7","Heartbeat",[]]`)).toMatchObject({
      response: { id: "7", code: "FormationViolation" }
    })
    expect(readFrame("2.0.1", `[2,"7","Heartbeat",1]`)).toMatchObject({
      response: { id: "7", code: "FormatViolation" }
    })
  })

  test("takes null and a missing payload for the empty one", () => {
    expect(readFrame("1.6", `[2,"7","Heartbeat",null]`)).toMatchObject({ _tag: "Call", payload: {} })
    expect(readFrame("1.6", `[2,"7","Heartbeat"]`)).toMatchObject({ _tag: "Call", payload: {} })
  })

  test("prefers 2.0.1 where a station offers both, and refuses what it does not speak", () => {
    expect(chosenSubprotocol(["ocpp1.6", "ocpp2.0.1"])).toMatchObject({ version: "2.0.1" })
    expect(chosenSubprotocol(["ocpp1.5", "ocpp1.6"])).toMatchObject({ version: "1.6" })
    expect(chosenSubprotocol(["ocpp1.5"])).toBeUndefined()
  })
})
