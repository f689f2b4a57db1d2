import { basicPassword, hashedPassword, mayConnect, stationIdFromPath } from "@edp/adapter-ocpp/stationLogin"
import { describe, expect, test } from "vitest"

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const stored = hashedPassword("00112233445566778899aabbccddeeff", "correct-horse-battery")

describe("the login of a station", () => {
  test.each([
    ["/ocpp/CP-1", "CP-1"],
    ["/ocpp/CP%2A1?x=1", "CP*1"],
    ["/ocpp/", null],
    ["/ocpp/a/CP-1", null],
    ["/other/CP-1", null],
    ["/ocpp/a%2Fb", null],
    ["/ocpp/%", null],
    [`/ocpp/${"x".repeat(49)}`, null]
  ])("reads the id of the path %s as %s", (path, id) => {
    expect(stationIdFromPath("/ocpp/", path)).toBe(id)
  })

  test.each([
    [basic("CP-1:pass:word"), "pass:word"],
    [basic("CP-1:"), ""],
    [basic("CP-12:password"), undefined],
    [basic("no colon"), undefined],
    ["Bearer abc", undefined],
    ["Basic %%%", undefined],
    [undefined, undefined]
  ])("reads the header %s", (header, password) => {
    expect(basicPassword(header, "CP-1")?.toString()).toBe(password)
  })

  test("takes the bytes that a hexadecimal password stands for, which some stations send", () => {
    const password = "00ff10d3a5b6c7d8e9f0a1b2c3d4e5f6"
    const login = Buffer.concat([Buffer.from("CP-1:"), Buffer.from(password, "hex")])
    const hashed = hashedPassword("00112233445566778899aabbccddeeff", password)
    expect(mayConnect("CP-1", `Basic ${login.toString("base64")}`, hashed)).toBe(true)
    expect(mayConnect("CP-1", basic(`CP-1:${password}`), hashed)).toBe(true)
    expect(mayConnect("CP-1", basic(`CP-1:${password.toUpperCase()}`), hashed)).toBe(false)
  })

  test("takes the station's own name and password", () => {
    expect(mayConnect("CP-1", basic("CP-1:correct-horse-battery"), stored)).toBe(true)
  })

  test.each([
    ["another password", basic("CP-1:wrong-horse-battery"), stored],
    ["another station's name", basic("CP-2:correct-horse-battery"), stored],
    ["no header", undefined, stored],
    ["an empty password", basic("CP-1:"), stored],
    ["a password that is too long", basic(`CP-1:${"x".repeat(5000)}`), stored],
    ["a station that is not known", basic("CP-1:correct-horse-battery"), null],
    ["a stored hash that is damaged", basic("CP-1:correct-horse-battery"), { ...stored, hash: "abcd" }]
  ])("refuses %s", (_, header, password) => {
    expect(mayConnect("CP-1", header, password)).toBe(false)
  })
})
