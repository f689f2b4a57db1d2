import { InvalidLocation } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { stateNames } from "@edp/domain/shared/unitedStates"
import { Effect } from "effect"
import { plainText } from "./addressWords.ts"

/**
 * Prefixes of each state's postal codes, as the Postal Service assigns them: ranges of three digits, and longer prefixes for single
 * codes or islands. The longest prefix decides.
 */
const postalCodes: Readonly<Record<string, string>> = {
  AL: "350-352 354-369",
  AK: "995-999",
  AZ: "850-853 855-857 859-860 863-865",
  AR: "716-729",
  CA: "900-908 910-928 930-961",
  CO: "800-816",
  CT: "060-069",
  DE: "197-199",
  DC: "200 202-205 569",
  FL: "320-339 341-342 344 346-347 349",
  GA: "300-319 398-399",
  HI: "967-968",
  ID: "832-838",
  IL: "600-620 622-629",
  IN: "460-479",
  IA: "500-516 520-528",
  KS: "660-662 664-679",
  KY: "400-418 420-427",
  LA: "700-701 703-708 710-714",
  ME: "039-049",
  MD: "206-212 214-219",
  MA: "010-027 055",
  MI: "480-499",
  MN: "550-551 553-567",
  MS: "386-397",
  MO: "630-631 633-641 644-658",
  MT: "590-599",
  NE: "680-681 683-693",
  NV: "889-891 893-895 897-898",
  NH: "030-038",
  NJ: "070-089",
  NM: "870-871 873-875 877-884",
  // Fishers Island lies in New York and gets its mail through Connecticut.
  NY: "005 100-149 06390",
  NC: "270-289",
  ND: "580-588",
  OH: "430-459",
  OK: "730-731 734-741 743-749",
  OR: "970-979",
  PA: "150-196",
  RI: "028-029",
  SC: "290-299",
  SD: "570-577",
  TN: "370-385",
  TX: "733 750-799 885",
  UT: "840-847",
  VT: "050-054 056-059",
  VA: "201 220-246",
  WA: "980-986 988-994",
  WV: "247-268",
  WI: "530-532 534-535 537-549",
  // Alta is reached from Idaho only.
  WY: "820-831 83414",
  AS: "96799",
  FM: "96941-96944",
  GU: "96910-96932",
  MH: "96960 96970",
  MP: "96950-96952",
  PR: "006-007 009",
  PW: "96939-96940",
  VI: "008",
  AA: "340",
  AE: "090-098",
  AP: "962-966"
}

/** Names by codes, with the regions that the Postal Service serves beside the states and territories. */
const regionNames: Readonly<Record<string, string>> = {
  ...stateNames,
  FM: "Federated States of Micronesia",
  MH: "Marshall Islands",
  PW: "Palau",
  AA: "Armed Forces Americas",
  AE: "Armed Forces Europe",
  AP: "Armed Forces Pacific"
}

const ranges = Object.entries(postalCodes)
  .flatMap(([state, prefixes]) =>
    prefixes.split(" ").map((range) => {
      const [from, to = from] = range.split("-") as [string, string?]
      return { state, from, to }
    })
  )
  .sort((one, other) => other.from.length - one.from.length)

const codesByName = new Map(Object.entries(regionNames).map(([code, name]) => [plainText(name), code]))
const alsoNamed = new Map([
  ["WASHINGTON DC", "DC"],
  ["US VIRGIN ISLANDS", "VI"],
  ["COMMONWEALTH OF PUERTO RICO", "PR"]
])

/** The two letters of a state, territory or military region, from its code or name in any case. */
export const toStateCode = (text: string): string | undefined => {
  const name = plainText(text)
  return Object.hasOwn(regionNames, name) ? name : (codesByName.get(name) ?? alsoNamed.get(name))
}

/** The name of a state, territory or military region; a text that is no code is returned as it is. */
export const stateName = (code: string): string => (Object.hasOwn(regionNames, code) ? regionNames[code]! : code)

/** The five digits of a postal code of the USA, with or without the four that follow them. */
export const toFiveDigits = (postalCode: string): string | undefined =>
  /^(\d{5})(?:[ -]?\d{4})?$/.exec(postalCode.trim())?.[1]

/** The state of five digits; undefined for a prefix that the Postal Service has not assigned. */
export const postalCodeState = (fiveDigits: string): string | undefined =>
  ranges.find(({ from, to }) => {
    const prefix = fiveDigits.slice(0, from.length)
    return prefix >= from && prefix <= to
  })?.state

/** Regions that the Postal Service serves but the Census Bureau does not map. */
export const unmappedStates: ReadonlySet<string> = new Set(["AA", "AE", "AP", "FM", "MH", "PW"])

const names: ReadonlySet<string> = new Set([
  "US",
  "USA",
  "UNITED STATES",
  "UNITED STATES OF AMERICA",
  "THE UNITED STATES",
  "THE UNITED STATES OF AMERICA"
])

/** Whether a country is the USA, which is the default. */
export const isUnitedStates = (country: string | undefined): boolean => {
  const text = country?.trim() ?? ""
  return text === "" || names.has(plainText(text))
}

/** The five digits and the state of a US address, if they belong together. */
export const checkPostalCode = (
  address: Address
): Effect.Effect<{ readonly fiveDigits: string; readonly state: string }, InvalidLocation> => {
  const fiveDigits = toFiveDigits(address.postalCode)
  const state = toStateCode(address.state)
  if (fiveDigits === undefined) return invalid("The postal code must be five digits, or nine as in ZIP+4")
  if (state === undefined) return invalid("The state is not one of the USA")
  return postalCodeState(fiveDigits) === state
    ? Effect.succeed({ fiveDigits, state })
    : invalid("The postal code does not belong to the state")
}

export const invalid = (message: string) => Effect.fail(new InvalidLocation({ message }))
