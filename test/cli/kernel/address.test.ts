import { defaultAddress, parseAddress } from "@edp/cli/kernel/address"
import { Option } from "effect"
import { describe, expect, it } from "vitest"

describe("addresses", () => {
  it("homes have distinct addresses that are the same at every import", () => {
    const names = Array.from({ length: 100 }, (_, at) => `home_${at + 1}`)
    expect(new Set(names.map((name) => defaultAddress(name).streetOne)).size).toBe(100)
    expect(defaultAddress("home_1")).toEqual(defaultAddress("home_1"))
    expect(defaultAddress("home_1")).toMatchObject({ city: "Fontana", state: "CA", postalCode: "92335" })
  })

  it.each([
    ["1 Capitol Mall, Sacramento, CA 95814", "1 Capitol Mall"],
    ["1 Capitol Mall,Sacramento,CA  95814", "1 Capitol Mall"],
    ["1 Capitol Mall, Apt 2, Sacramento, CA 95814", "1 Capitol Mall Apt 2"]
  ])("%s", (text, streetOne) => {
    expect(Option.getOrUndefined(parseAddress(text))).toEqual({
      streetOne,
      city: "Sacramento",
      state: "CA",
      postalCode: "95814"
    })
  })

  it.each(["", "1 Capitol Mall", "1 Capitol Mall, Sacramento", "1 Capitol Mall, Sacramento, 95814"])(
    "%j is not a complete address",
    (text) => {
      expect(Option.isNone(parseAddress(text))).toBe(true)
    }
  )
})
