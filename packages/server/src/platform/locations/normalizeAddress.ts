import { createHash } from "node:crypto"
import type { Address } from "@edp/domain/shared/Address"
import { plainText, plainWords, streetWords } from "./addressWords.ts"
import { toFiveDigits, isUnitedStates, toStateCode } from "./unitedStates.ts"

/** The canonical form of an address. */
export interface CanonicalAddress {
  /** Both street lines: the line break carries no meaning. */
  readonly street: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
}

/** APT4 and STE4 are also written without a space. */
const splitDesignator = (word: string): ReadonlyArray<string> => {
  const match = /^(APT|STE|UNIT)(\d.*)$/u.exec(word)
  return match === null ? [word] : match.slice(1)
}

const abbreviate = (text: string): ReadonlyArray<string> =>
  plainWords(text)
    .flatMap(splitDesignator)
    .map((word) => streetWords.get(word) ?? word)

/** "Apt #4" names one door. */
const withoutRepeatedUnit = (all: ReadonlyArray<string>) =>
  all.filter((word, index) => word !== "UNIT" || all[index - 1] !== "UNIT")

const compact = (text: string) => text.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "")

/**
 * The canonical form. In the USA a state's name equals its code, and the last four digits of a ZIP+4 code are dropped: they follow
 * from the street, and most people leave them out.
 */
export const normalizeAddress = (address: Address): CanonicalAddress => {
  const inUnitedStates = isUnitedStates(address.country)
  return {
    street: withoutRepeatedUnit(abbreviate(`${address.streetOne} ${address.streetTwo ?? ""}`)).join(" "),
    city: abbreviate(address.city).join(" "),
    state: (inUnitedStates ? toStateCode(address.state) : undefined) ?? plainText(address.state),
    postalCode: (inUnitedStates ? toFiveDigits(address.postalCode) : undefined) ?? compact(address.postalCode),
    country: inUnitedStates ? "US" : plainText(address.country ?? "") || address.country!.trim()
  }
}

/** SHA-256 of the canonical form, hexadecimal. Equal for all spellings of an address. */
export const hashAddress = (address: Address): string => {
  const { street, city, state, postalCode, country } = normalizeAddress(address)
  return createHash("sha256")
    .update(JSON.stringify([country, state, postalCode, city, street]))
    .digest("hex")
}

/** Keys by which an address is found, equal for all its spellings. */
export interface AddressKeys {
  readonly hash: string
  readonly state: string
  readonly postalCode: string
}

export const addressKeys = (address: Address): AddressKeys => {
  const { state, postalCode } = normalizeAddress(address)
  return { hash: hashAddress(address), state, postalCode }
}

const nowhere: Address = { streetOne: "", city: "", state: "", postalCode: "" }

/** A filter has no country: its text is read as one of the USA and as one of any other country. */
const inAnyCountry = (key: "state" | "postalCode") => (text: string) => [
  ...new Set(["USA", "abroad"].map((country) => normalizeAddress({ ...nowhere, [key]: text, country })[key]))
]

/** Keys of the states that a text may mean: a code or name in the USA, or a name elsewhere. */
export const stateKeys = inAnyCountry("state")

/** Keys of the postal codes that a text may mean. */
export const postalCodeKeys = inAnyCountry("postalCode")
