import { InvalidLocation } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Effect } from "effect"
import { plainText } from "./addressWords.ts"

/**
 * Prefixes of each state's postal codes, as the Postal Service assigns them: ranges of three digits, and longer prefixes for single
 * codes or islands. The longest prefix decides.
 */
const states: Record<string, { readonly name: string; readonly prefixes: string }> = {
  AL: { name: "Alabama", prefixes: "350-352 354-369" },
  AK: { name: "Alaska", prefixes: "995-999" },
  AZ: { name: "Arizona", prefixes: "850-853 855-857 859-860 863-865" },
  AR: { name: "Arkansas", prefixes: "716-729" },
  CA: { name: "California", prefixes: "900-908 910-928 930-961" },
  CO: { name: "Colorado", prefixes: "800-816" },
  CT: { name: "Connecticut", prefixes: "060-069" },
  DE: { name: "Delaware", prefixes: "197-199" },
  DC: { name: "District of Columbia", prefixes: "200 202-205 569" },
  FL: { name: "Florida", prefixes: "320-339 341-342 344 346-347 349" },
  GA: { name: "Georgia", prefixes: "300-319 398-399" },
  HI: { name: "Hawaii", prefixes: "967-968" },
  ID: { name: "Idaho", prefixes: "832-838" },
  IL: { name: "Illinois", prefixes: "600-620 622-629" },
  IN: { name: "Indiana", prefixes: "460-479" },
  IA: { name: "Iowa", prefixes: "500-516 520-528" },
  KS: { name: "Kansas", prefixes: "660-662 664-679" },
  KY: { name: "Kentucky", prefixes: "400-418 420-427" },
  LA: { name: "Louisiana", prefixes: "700-701 703-708 710-714" },
  ME: { name: "Maine", prefixes: "039-049" },
  MD: { name: "Maryland", prefixes: "206-212 214-219" },
  MA: { name: "Massachusetts", prefixes: "010-027 055" },
  MI: { name: "Michigan", prefixes: "480-499" },
  MN: { name: "Minnesota", prefixes: "550-551 553-567" },
  MS: { name: "Mississippi", prefixes: "386-397" },
  MO: { name: "Missouri", prefixes: "630-631 633-641 644-658" },
  MT: { name: "Montana", prefixes: "590-599" },
  NE: { name: "Nebraska", prefixes: "680-681 683-693" },
  NV: { name: "Nevada", prefixes: "889-891 893-895 897-898" },
  NH: { name: "New Hampshire", prefixes: "030-038" },
  NJ: { name: "New Jersey", prefixes: "070-089" },
  NM: { name: "New Mexico", prefixes: "870-871 873-875 877-884" },
  // Fishers Island lies in New York and gets its mail through Connecticut.
  NY: { name: "New York", prefixes: "005 100-149 06390" },
  NC: { name: "North Carolina", prefixes: "270-289" },
  ND: { name: "North Dakota", prefixes: "580-588" },
  OH: { name: "Ohio", prefixes: "430-459" },
  OK: { name: "Oklahoma", prefixes: "730-731 734-741 743-749" },
  OR: { name: "Oregon", prefixes: "970-979" },
  PA: { name: "Pennsylvania", prefixes: "150-196" },
  RI: { name: "Rhode Island", prefixes: "028-029" },
  SC: { name: "South Carolina", prefixes: "290-299" },
  SD: { name: "South Dakota", prefixes: "570-577" },
  TN: { name: "Tennessee", prefixes: "370-385" },
  TX: { name: "Texas", prefixes: "733 750-799 885" },
  UT: { name: "Utah", prefixes: "840-847" },
  VT: { name: "Vermont", prefixes: "050-054 056-059" },
  VA: { name: "Virginia", prefixes: "201 220-246" },
  WA: { name: "Washington", prefixes: "980-986 988-994" },
  WV: { name: "West Virginia", prefixes: "247-268" },
  WI: { name: "Wisconsin", prefixes: "530-532 534-535 537-549" },
  // Alta is reached from Idaho only.
  WY: { name: "Wyoming", prefixes: "820-831 83414" },
  AS: { name: "American Samoa", prefixes: "96799" },
  FM: { name: "Federated States of Micronesia", prefixes: "96941-96944" },
  GU: { name: "Guam", prefixes: "96910-96932" },
  MH: { name: "Marshall Islands", prefixes: "96960 96970" },
  MP: { name: "Northern Mariana Islands", prefixes: "96950-96952" },
  PR: { name: "Puerto Rico", prefixes: "006-007 009" },
  PW: { name: "Palau", prefixes: "96939-96940" },
  VI: { name: "Virgin Islands", prefixes: "008" },
  AA: { name: "Armed Forces Americas", prefixes: "340" },
  AE: { name: "Armed Forces Europe", prefixes: "090-098" },
  AP: { name: "Armed Forces Pacific", prefixes: "962-966" }
}

const ranges = Object.entries(states)
  .flatMap(([state, { prefixes }]) =>
    prefixes.split(" ").map((range) => {
      const [from, to = from] = range.split("-") as [string, string?]
      return { state, from, to }
    })
  )
  .sort((one, other) => other.from.length - one.from.length)

const codesByName = new Map(Object.entries(states).map(([code, { name }]) => [plainText(name), code]))
const alsoNamed = new Map([
  ["WASHINGTON DC", "DC"],
  ["US VIRGIN ISLANDS", "VI"],
  ["COMMONWEALTH OF PUERTO RICO", "PR"]
])

/** The two letters of a state, territory or military region, from its code or name in any case. */
export const toStateCode = (text: string): string | undefined => {
  const name = plainText(text)
  return Object.hasOwn(states, name) ? name : (codesByName.get(name) ?? alsoNamed.get(name))
}

/** The name of a state, territory or military region; a text that is no code is returned as it is. */
export const stateName = (code: string): string => (Object.hasOwn(states, code) ? states[code]!.name : code)

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
