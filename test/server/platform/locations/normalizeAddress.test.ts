import { type Address, Address as AddressSchema } from "@edp/domain/shared/Address"
import { hashAddress, normalizeAddress } from "@edp/server/platform/locations/normalizeAddress"
import { streetWords } from "@edp/server/platform/locations/addressWords"
import { assert, describe, it } from "@effect/vitest"

const home: Address = {
  streetOne: "123 North Main Street",
  streetTwo: "Apartment 4B",
  city: "Saint Louis",
  state: "Missouri",
  postalCode: "63101",
  country: "USA"
}
const other = (change: Partial<Address>): Address => ({ ...home, ...change })
const withoutStreetTwo = (streetOne: string): Address => {
  const { streetTwo: _, ...rest } = home
  return { ...rest, streetOne }
}

const same = (one: Address, two: Address) => assert.strictEqual(hashAddress(one), hashAddress(two))
const different = (one: Address, two: Address) => assert.notStrictEqual(hashAddress(one), hashAddress(two))

describe("two spellings of one address have one hash", () => {
  it.each<[string, Partial<Address>]>([
    ["letter case", { streetOne: "123 nORTH mAIN sTREET", city: "SAINT LOUIS", state: "MISSOURI" }],
    ["spaces", { streetOne: "  123  North\tMain   Street ", city: " Saint  Louis", postalCode: " 63101 " }],
    ["punctuation", { streetOne: "123, North Main Street.", streetTwo: "Apartment 4B," }],
    ["an abbreviated suffix", { streetOne: "123 North Main St" }],
    ["an abbreviated suffix with a period", { streetOne: "123 North Main St." }],
    ["a misspelt suffix", { streetOne: "123 North Main Strt" }],
    ["an abbreviated direction", { streetOne: "123 N. Main Street" }],
    ["another word for the unit", { streetTwo: "Unit 4B" }],
    ["a suite", { streetTwo: "Ste. 4B" }],
    ["a number sign", { streetTwo: "#4B" }],
    ["a number sign after the designator", { streetTwo: "Apt # 4B" }],
    ["a unit in lower case", { streetTwo: "apt 4b" }],
    ["an abbreviated saint", { city: "St. Louis" }],
    ["the state's code", { state: "MO" }],
    ["the state's code in lower case", { state: "mo" }],
    ["the four digits of ZIP+4", { postalCode: "63101-2345" }],
    ["US", { country: "US" }],
    ["U.S.", { country: "U.S." }],
    ["U.S.A.", { country: "u.s.a." }],
    ["United States", { country: "United States" }],
    ["United States of America", { country: "The United States of  America" }],
    ["USA among punctuation", { country: " (USA)." }],
    ["accents", { streetOne: "123 Nörth Máin Street" }]
  ])("%s", (_, change) => same(home, other(change)))

  it("no country", () => {
    const { country: _, ...domestic } = home
    same(home, domestic)
  })

  it("the unit on the first line", () => same(home, withoutStreetTwo("123 North Main Street, Apt 4B")))
  it("the unit without a space", () => same(home, withoutStreetTwo("123 N Main St Apt4B")))
  it("an empty second line", () => same(withoutStreetTwo("1 A Road"), other({ streetOne: "1 A Road", streetTwo: " " })))
  it("an apostrophe", () => same(withoutStreetTwo("5 O'Farrell Ave"), withoutStreetTwo("5 OFarrell Avenue")))
  it("a post office box", () => same(withoutStreetTwo("P.O. Box 12"), withoutStreetTwo("PO Box 12")))
  it("a fraction", () => same(withoutStreetTwo("12½ Oak Drive"), withoutStreetTwo("12 1/2 Oak Dr")))
  it("a hyphen in the city", () => same(other({ city: "Winston-Salem" }), other({ city: "Winston Salem" })))
  it("spaces in a foreign postal code", () =>
    same(
      other({ state: "ON", postalCode: "K1A 0B1", country: "Canada" }),
      other({ state: "on", postalCode: "k1a0b1", country: "CANADA" })
    ))
})

describe("different addresses have different hashes", () => {
  it.each<[string, Partial<Address>]>([
    ["another house number", { streetOne: "124 North Main Street" }],
    ["another direction", { streetOne: "123 South Main Street" }],
    ["another suffix", { streetOne: "123 North Main Avenue" }],
    ["another unit", { streetTwo: "Apartment 4C" }],
    ["another floor", { streetTwo: "Floor 4B" }],
    ["another city", { city: "East Saint Louis" }],
    ["another state", { state: "Illinois" }],
    ["another postal code", { postalCode: "63102" }],
    ["another country", { country: "Canada" }],
    ["a country without letters", { country: "1" }]
  ])("%s", (_, change) => different(home, other(change)))

  it("no unit", () => different(home, withoutStreetTwo(home.streetOne)))
  it("a decimal in a grid address", () => different(withoutStreetTwo("39.2 Road"), withoutStreetTwo("392 Road")))
  it("words that move from the street to the city", () =>
    different(other({ streetTwo: "Apt 1", city: "A B" }), other({ streetTwo: "Apt 1 A", city: "B" })))
  it("other scripts", () =>
    different(
      other({ streetOne: "東京都千代田区1-1", country: "Japan" }),
      other({ streetOne: "東京都千代田区1-2", country: "Japan" })
    ))
})

describe("the canonical form", () => {
  it("equals the expected text", () => {
    assert.deepStrictEqual(normalizeAddress(home), {
      street: "123 N MAIN ST UNIT 4B",
      city: "ST LOUIS",
      state: "MO",
      postalCode: "63101",
      country: "US"
    })
  })

  it("keeps unknown parts of a US address", () => {
    const { state, postalCode } = normalizeAddress(other({ state: "Atlantis", postalCode: "1-2-3" }))
    assert.deepStrictEqual({ state, postalCode }, { state: "ATLANTIS", postalCode: "123" })
  })

  it("does not abbreviate abbreviations", () => {
    for (const short of streetWords.values()) assert.strictEqual(streetWords.get(short) ?? short, short)
  })

  it.prop("is its own canonical form", [AddressSchema], ([address]) => {
    const { street, ...rest } = normalizeAddress(address)
    assert.deepStrictEqual(normalizeAddress({ streetOne: street, ...rest }), { street, ...rest })
  })

  it.prop("does not depend on outer spaces", [AddressSchema], ([address]) => {
    const spaced = Object.fromEntries(Object.entries(address).map(([field, text]) => [field, ` ${text}\n`]))
    same(address, spaced as Address)
  })
})

describe("the hash", () => {
  it("is SHA-256 in hexadecimal and stays the same in later versions", () => {
    assert.strictEqual(hashAddress(home), "8edb08a050b97ae66bf4e8751a267c6465436adac9a8f5804447af19db6efba1")
  })
})
