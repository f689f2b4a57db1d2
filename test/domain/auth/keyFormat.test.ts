import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { generateKey, isWellFormedKey, parseKeyType, maskKeys } from "@edp/domain/auth/keyFormat"
import { describe, expect, it } from "vitest"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const decode = (text: string) => [...text].reduce((value, character) => value * 62 + alphabet.indexOf(character), 0)

describe("keyFormat", () => {
  it.each(apiKeyTypes)("a generated %s key is well formed and names its type", (type) => {
    const key = generateKey(type, randomBytes)
    expect(isWellFormedKey(key)).toBe(true)
    expect(parseKeyType(key)).toBe(type)
    expect(key.slice(key.indexOf("_") + 1)).toMatch(/^[0-9A-Za-z]{38}$/u)
  })

  it("the last six characters are the CRC-32 of the ones before, as zlib computes it", () => {
    for (let round = 0; round < 200; round++) {
      const key = generateKey("SERVER", randomBytes)
      expect(decode(key.slice(-6))).toBe(crc32(key.slice(0, -6)))
    }
  })

  it("a small checksum is padded with zeros to six characters", () => {
    const keys = Array.from({ length: 3000 }, () => generateKey("API", randomBytes))
    // 62^5 / 2^32 is a fifth: about 640 of 3000 checksums need padding.
    expect(keys.filter((key) => key.at(-6) === "0").length).toBeGreaterThan(300)
    expect(new Set(keys.map((key) => key.length))).toEqual(new Set([4 + 38]))
  })

  it("a key with one changed character anywhere is not well formed", () => {
    const key = generateKey("MANAGEMENT", randomBytes)
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "x" ? "y" : "x"
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
    }
  })

  it.each(["", "server_", "SERVER_abc", " ", "nope_".padEnd(43, "0"), "é".repeat(45)])(
    "%j is not well formed",
    (text) => {
      expect(isWellFormedKey(text)).toBe(false)
    }
  )

  it("a key with anything before or after it is not well formed", () => {
    const key = generateKey("CONNECT", randomBytes)
    for (const text of [`${key}\n`, ` ${key}`, `${key}0`, key.slice(0, -1)]) expect(isWellFormedKey(text)).toBe(false)
  })

  it("random bytes that would favour some characters are discarded and replaced", () => {
    const served = [Uint8Array.of(255, 248, 0), Uint8Array.from({ length: 31 }, () => 61)]
    const key = generateKey("SERVER", () => served.shift() ?? Uint8Array.of())
    expect(key.slice("server_".length, -6)).toBe(`0${"z".repeat(31)}`)
  })

  it("masking a text keeps the first 12 characters of each key, complete or cut off", () => {
    for (const type of apiKeyTypes) {
      const key = generateKey(type, randomBytes)
      expect(maskKeys(`/v1/${key}?a=${key.slice(0, -3)}`)).toBe(`/v1/${key.slice(0, 12)}***?a=${key.slice(0, 12)}***`)
    }
    for (const text of ["/v1/sites/c0000000000000000000000000", "server_name", "api_keys_by_workspace"]) {
      expect(maskKeys(text)).toBe(text)
    }
  })
})
