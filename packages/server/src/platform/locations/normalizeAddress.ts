import type { Address } from "@edp/domain/shared/Address"
import { createHash } from "node:crypto"
import { plainText, plainWords } from "./plainWords.ts"
import { fiveDigitsOf, stateCodeOf } from "./statePrefixes.ts"
import { streetWords } from "./streetWords.ts"
import { isUnitedStates } from "./unitedStates.ts"

/** An address in the one spelling that all its spellings share. */
export interface CanonicalAddress {
  /** Both street lines: where the line breaks says nothing about the place. */
  readonly street: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
}

/** APT4 and STE4 are written without a space too. */
const splitDesignator = (word: string): ReadonlyArray<string> => {
  const match = /^(APT|STE|UNIT)(\d.*)$/u.exec(word)
  return match === null ? [word] : match.slice(1)
}

const abbreviate = (text: string): ReadonlyArray<string> =>
  plainWords(text)
    .flatMap(splitDesignator)
    .map((word) => streetWords.get(word) ?? word)

/** "Apt #4" names the door once. */
const withoutRepeatedUnit = (all: ReadonlyArray<string>) =>
  all.filter((word, index) => word !== "UNIT" || all[index - 1] !== "UNIT")

const compact = (text: string) => text.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "")

/**
 * The canonical form. In the USA a state's name and its code are the same, and the last four digits of a ZIP+4 code are
 * dropped: they follow from the street, and most people leave them out.
 */
export const normalizeAddress = (address: Address): CanonicalAddress => {
  const inUnitedStates = isUnitedStates(address.country)
  return {
    street: withoutRepeatedUnit(abbreviate(`${address.streetOne} ${address.streetTwo ?? ""}`)).join(" "),
    city: abbreviate(address.city).join(" "),
    state: (inUnitedStates ? stateCodeOf(address.state) : undefined) ?? plainText(address.state),
    postalCode: (inUnitedStates ? fiveDigitsOf(address.postalCode) : undefined) ?? compact(address.postalCode),
    country: inUnitedStates ? "US" : plainText(address.country ?? "") || address.country!.trim()
  }
}

/** SHA-256 of the canonical form, hexadecimal: two spellings of one address have the same. */
export const hashAddress = (address: Address): string => {
  const { street, city, state, postalCode, country } = normalizeAddress(address)
  return createHash("sha256")
    .update(JSON.stringify([country, state, postalCode, city, street]))
    .digest("hex")
}
