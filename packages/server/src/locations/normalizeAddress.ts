import type { Address } from "@edp/domain/shared/Address"
import { createHash } from "node:crypto"
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

/**
 * Words in capitals without accents and punctuation. A period inside a number stays (39.2 Road), so does the slash of a
 * fraction (12½ is 12 1/2); the periods of P.O. or N.W. leave no gap.
 */
const words = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/gu, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
    .toUpperCase()
    .replaceAll("⁄", "/")
    .replace(/['’‘`]/gu, "")
    .replace(/(?<![\p{L}\p{N}])(\p{L})\./gu, "$1")
    .replace(/(?<!\d)\.|\.(?!\d)/gu, " ")
    .replace(/(?<!\d)\/|\/(?!\d)/gu, " ")
    .replaceAll("&", " AND ")
    .replaceAll("#", " # ")
    .replace(/[^\p{L}\p{N}\p{M}#./]+/gu, " ")
    .trim()
    .split(/\s+/u)

/** APT4 and STE4 are written without a space too. */
const splitDesignator = (word: string): ReadonlyArray<string> => {
  const match = /^(APT|STE|UNIT)(\d.*)$/u.exec(word)
  return match === null ? [word] : match.slice(1)
}

const abbreviate = (text: string): ReadonlyArray<string> =>
  words(text)
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
  const plain = (text: string) => words(text).join(" ")
  return {
    street: withoutRepeatedUnit(abbreviate(`${address.streetOne} ${address.streetTwo ?? ""}`)).join(" "),
    city: abbreviate(address.city).join(" "),
    state: (inUnitedStates ? stateCodeOf(address.state) : undefined) ?? plain(address.state),
    postalCode: (inUnitedStates ? fiveDigitsOf(address.postalCode) : undefined) ?? compact(address.postalCode),
    country: inUnitedStates ? "US" : plain(address.country ?? "") || address.country!.trim()
  }
}

/** SHA-256 of the canonical form, hexadecimal: two spellings of one address have the same. */
export const hashAddress = (address: Address): string => {
  const { street, city, state, postalCode, country } = normalizeAddress(address)
  return createHash("sha256")
    .update(JSON.stringify([country, state, postalCode, city, street]))
    .digest("hex")
}
