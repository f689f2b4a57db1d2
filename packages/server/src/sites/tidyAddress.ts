import type { Address } from "@edp/domain/shared/Address"

export type TidyAddress = Address & { readonly country: string }

/** The address as it is shown: as it was given, without the spaces around its lines, in the USA unless it says otherwise. */
export const tidyAddress = (address: Address): TidyAddress => {
  const streetTwo = address.streetTwo?.trim()
  return {
    streetOne: address.streetOne.trim(),
    ...(streetTwo ? { streetTwo } : {}),
    city: address.city.trim(),
    state: address.state.trim(),
    postalCode: address.postalCode.trim(),
    country: address.country?.trim() || "USA"
  }
}

/** The lines that hold nothing but spaces. */
export const blankLines = (address: Address): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tidyAddress(address))
      .filter(([, text]) => text === "")
      .map(([line]) => [`address.${line}`, "Must not be blank"])
  )
