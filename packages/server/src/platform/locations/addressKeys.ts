import type { Address } from "@edp/domain/shared/Address"
import { hashAddress, normalizeAddress } from "./normalizeAddress.ts"

/** What an address is found by: the same for all its spellings. */
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

/** A filter names no country: its text is read as one of the USA and as one of any other country. */
const inAnyCountry = (key: "state" | "postalCode") => (text: string) => [
  ...new Set(["USA", "abroad"].map((country) => normalizeAddress({ ...nowhere, [key]: text, country })[key]))
]

/** The keys of the states that a text may name: its code or name in the USA, or a name elsewhere. */
export const stateKeys = inAnyCountry("state")

/** The keys of the postal codes that a text may name. */
export const postalCodeKeys = inAnyCountry("postalCode")
