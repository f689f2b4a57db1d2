import { toFiveDigits, toStateCode, postalCodeState, unmappedStates } from "@edp/server/platform/locations/unitedStates"
import { postalCodeCentroids } from "@edp/server/platform/locations/PostalCodes"
import { assert, describe, it } from "@effect/vitest"

describe("the state of a postal code", () => {
  it.each([
    ["95814", "CA"],
    ["10001", "NY"],
    ["00501", "NY"],
    ["06390", "NY"],
    ["06391", "CT"],
    ["83414", "WY"],
    ["83415", "ID"],
    ["20001", "DC"],
    ["20101", "VA"],
    ["20301", "DC"],
    ["73301", "TX"],
    ["88510", "TX"],
    ["00901", "PR"],
    ["00802", "VI"],
    ["96799", "AS"],
    ["96701", "HI"],
    ["96910", "GU"],
    ["96950", "MP"],
    ["96940", "PW"],
    ["96941", "FM"],
    ["96960", "MH"],
    ["09012", "AE"],
    ["34034", "AA"],
    ["96205", "AP"],
    ["99950", "AK"]
  ])("%s is in %s", (code, state) => {
    assert.strictEqual(postalCodeState(code), state)
  })

  it.each(["00000", "21300", "51700", "88800", "96999"])("is not found for %s: the prefix is not assigned", (code) => {
    assert.isUndefined(postalCodeState(code))
  })

  it("is found for every code of the data, and for no other code", async () => {
    for await (const set of postalCodeCentroids(1000)) {
      for (const { code } of set) {
        const state = postalCodeState(code)
        assert.isDefined(state, code)
        assert.isFalse(unmappedStates.has(state!), code)
      }
    }
  })
})

describe("a state's code", () => {
  it.each([
    ["CA", "CA"],
    ["ca", "CA"],
    [" California ", "CA"],
    ["new  york", "NY"],
    ["D.C.", "DC"],
    ["District of Columbia", "DC"],
    ["Washington, D.C.", "DC"],
    ["Washington", "WA"],
    ["U.S. Virgin Islands", "VI"],
    ["armed forces pacific", "AP"]
  ])("is found from %j: %s", (text, code) => {
    assert.strictEqual(toStateCode(text), code)
  })

  it.each(["Ontario", "XX", "", "C", "constructor", "__proto__", "95814", "GA4"])("is not found from %j", (text) => {
    assert.isUndefined(toStateCode(text))
  })
})

describe("the five digits of a postal code", () => {
  it.each([
    ["95814", "95814"],
    [" 95814 ", "95814"],
    ["95814-1234", "95814"],
    ["95814 1234", "95814"],
    ["958141234", "95814"]
  ])("are found in %j: %s", (text, digits) => {
    assert.strictEqual(toFiveDigits(text), digits)
  })

  it.each(["9581", "958145", "95814-12", "9581a", "K1A 0B1", "95814-12345", "９５８１４", ""])(
    "are not found in %j",
    (text) => {
      assert.isUndefined(toFiveDigits(text))
    }
  )
})
